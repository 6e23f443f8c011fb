/** One operation of the control. */
import type { TSchema } from '@sinclair/typebox'
import type { TestDirectory } from '../test-directory.ts'

export interface Asked {
  /** Parameters of the path. */
  params: Readonly<Record<string, string>>
  query: Readonly<Record<string, string>>
  /** The JSON object that was sent, or `{}`. The kit checks its fields. */
  body: object
}

export interface Operation {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** As routes name it: `/accounts/:id`. */
  path: string
  operationId: string
  summary: string
  body?: TSchema
  /** Descriptions of the query's parameters. */
  query?: Readonly<Record<string, string>>
  /** Schema of the answer; without one the status is 204. */
  answer?: TSchema
  status?: 200 | 201
  run(directory: TestDirectory, asked: Asked): unknown
}
