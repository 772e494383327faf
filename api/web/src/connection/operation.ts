/** The text of a GraphQL operation that knows the types of its answer and its variables. */
export type Operation<Result, Variables> = string & { readonly types?: (variables: Variables) => Result };
