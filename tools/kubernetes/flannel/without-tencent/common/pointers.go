// Package common has what flannel's Tencent backend names of Tencent's cloud SDK, no more.
package common

func StringPtr(value string) *string { return &value }

func BoolPtr(value bool) *bool { return &value }

func StringPtrs(values []string) []*string {
	pointers := make([]*string, len(values))
	for at := range values {
		pointers[at] = &values[at]
	}
	return pointers
}
