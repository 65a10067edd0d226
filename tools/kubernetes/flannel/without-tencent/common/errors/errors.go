// Package errors has the one error of Tencent's cloud SDK that flannel's Tencent backend names.
package errors

type TencentCloudSDKError struct{ Message string }

func (e *TencentCloudSDKError) Error() string { return e.Message }
