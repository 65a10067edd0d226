export {
  parseFilter,
  parseFilterSyntax,
  renderFilter,
  type Filter,
  type FilterExpression,
  type FilterOperator,
} from './filter.js';
export { parseListQuery, refuseQuery, type ListQuery, type QueryParameters } from './list-query.js';
export { matches } from './matches.js';
export { needsComplexAttributes } from './complex-attributes.js';
export { MARKER_PARAMETER, nextPageLink, PAGE_SIZE } from './paging.js';
export { RESOURCES, type ResourceTable } from './resources.js';
export { parseSelector, select, type Selector } from './selector.js';
