/** One operation of the control. */
import type { TSchema } from '@sinclair/typebox'
import type { TestDirectory } from '../test-directory.ts'

export interface Asked {
  /** Of the path. */
  params: Readonly<Record<string, string>>
  query: Readonly<Record<string, string>>
  /** The JSON object that was sent; `{}` where nothing was. What is in it is the kit's to check. */
  body: object
}

export interface Operation {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** As routes name it: `/accounts/:id`. */
  path: string
  operationId: string
  summary: string
  body?: TSchema
  /** What each parameter of the query means. */
  query?: Readonly<Record<string, string>>
  /** None: 204. */
  answer?: TSchema
  status?: 200 | 201
  run(directory: TestDirectory, asked: Asked): unknown
}
