// Package v20170312 stands in the place of Tencent's cloud SDK, which the lab's flannel has no use for:
// what flannel's Tencent backend names is here, and each call is refused.
package v20170312

import "errors"

var errLeftOut = errors.New("the lab's flannel is built without Tencent's VPC backend")

type Client struct{}

type Filter struct {
	Name   *string
	Values []*string
}

type Route struct {
	DestinationCidrBlock, GatewayType, GatewayId, RouteType *string
	RouteId                                                 *uint64
	Enabled                                                 *bool
}

type RouteTable struct {
	RouteTableId *string
	RouteSet     []*Route
}

type DescribeRouteTablesRequest struct{ Filters []*Filter }

type DescribeRouteTablesResponse struct {
	Response *struct{ RouteTableSet []*RouteTable }
}

type DeleteRoutesRequest struct {
	RouteTableId *string
	Routes       []*Route
}

type DeleteRoutesResponse struct{}

type CreateRoutesRequest struct {
	RouteTableId *string
	Routes       []*Route
}

type CreateRoutesResponse struct{}

func NewClientWithSecretId(_, _, _ string) (*Client, error) { return &Client{}, errLeftOut }

func NewDescribeRouteTablesRequest() *DescribeRouteTablesRequest { return &DescribeRouteTablesRequest{} }

func NewDeleteRoutesRequest() *DeleteRoutesRequest { return &DeleteRoutesRequest{} }

func NewCreateRoutesRequest() *CreateRoutesRequest { return &CreateRoutesRequest{} }

func (*Client) DescribeRouteTables(*DescribeRouteTablesRequest) (*DescribeRouteTablesResponse, error) {
	return nil, errLeftOut
}

func (*Client) DeleteRoutes(*DeleteRoutesRequest) (*DeleteRoutesResponse, error) { return nil, errLeftOut }

func (*Client) CreateRoutes(*CreateRoutesRequest) (*CreateRoutesResponse, error) { return nil, errLeftOut }
