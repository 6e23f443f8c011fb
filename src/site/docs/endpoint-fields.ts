/** The fields of a console's form: what a call of the endpoint can send. */
import { documentedPath, type Endpoint } from '../../contract/endpoints.ts'
import type { Parameter } from '../../contract/query.ts'

/** The name of the parameter in an endpoint's path; undefined where it has none. */
export function pathParameterOf({ path }: Pick<Endpoint, 'path'>): string | undefined {
  return /\{(\w+)\}/.exec(documentedPath(path))?.[1]
}

/** Every parameter that can be sent in the query, with its name; those that are always refused are left out. */
export function queryFieldsOf({ parameters }: Endpoint): [string, Parameter][] {
  return Object.entries(parameters).filter(
    ([, parameter]) => parameter.kind !== 'choice' || !parameter.rejected,
  )
}
