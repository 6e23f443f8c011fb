/** @jsxImportSource hono/jsx */
/** `/docs/records`: what several endpoints answer. A body of one endpoint alone is explained on that one's page. */
import { documentedPath, ENDPOINTS } from '../../contract/endpoints.ts'
import type { Document } from './document.tsx'
import { ENDPOINT_DOCUMENTS } from './endpoint-document.tsx'
import { bodyNamesOf, type OpenApi, operationAt } from './openapi.ts'
import { Schemas } from './schemas.tsx'

export const records: Document = {
  path: '/docs/records',
  title: 'Records',
  lead: 'Every field is present unless its type says otherwise. Fields may be added.',
  body: (context) => {
    const document = context.openapi as OpenApi
    const names = Object.keys(document.components.schemas)
    return (
      <Schemas
        document={document}
        level="h2"
        names={names.filter((name) => placeOf(document, name) === records.path)}
      />
    )
  },
}

/** The path of the page that explains a schema. */
export function placeOf(document: OpenApi, name: string): Document['path'] {
  const endpoint = ENDPOINT_DOCUMENTS.find((it) => {
    const operation =
      it.endpoint && operationAt(document, documentedPath(ENDPOINTS[it.endpoint].path))
    return operation && Object.values(bodyNamesOf(document, operation)).includes(name)
  })
  return endpoint?.path ?? records.path
}
