// pause is the first process of each pod: it holds the pod's namespaces, and ends when it is told to.
package main

import (
	"os"
	"os/signal"
	"syscall"
)

func main() {
	told := make(chan os.Signal, 1)
	signal.Notify(told, syscall.SIGINT, syscall.SIGTERM)
	// Where a pod shares its processes this one is their first, and takes in those whose parents have ended.
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, syscall.SIGCHLD)
	for {
		select {
		case <-told:
			return
		case <-ended:
			for reapOne() {
			}
		}
	}
}

func reapOne() bool {
	pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
	return err == nil && pid > 0
}
