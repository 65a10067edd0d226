//go:build tools

// Package tools names the programs that the lab builds, so that go.mod keeps what they need.
package tools

import (
	_ "github.com/coredns/coredns"
)
