/** The contract's suite against a service in the test's own process. */
import { afterAll } from 'bun:test'
import { gunzipSync } from 'node:zlib'
import { incoming } from '../../src/runtime.ts'
import { APP_URL, BASE_URL, type TestService } from '../helpers/service.ts'
import { type Received, type Sent, World } from './world.ts'

function requestTo(url: string, { method = 'GET', headers = {}, body }: Sent = {}): Request {
  return new Request(url, { method, headers, ...(body !== undefined && { body }) })
}

async function receivedOf(response: Response): Promise<Received> {
  const headers = Object.fromEntries(response.headers)
  const bytes = Buffer.from(await response.arrayBuffer())
  const isPacked = headers['content-encoding'] === 'gzip'
  const text = (isPacked ? gunzipSync(bytes) : bytes).toString()
  const isJson = text !== '' && headers['content-type']?.startsWith('application/json')
  return { status: response.status, headers, text, body: isJson ? JSON.parse(text) : undefined }
}

/** The service ends with the file that calls this. */
export function worldOf({ api, web, database, stop }: TestService): World {
  afterAll(stop)
  return new World({
    apiUrl: BASE_URL,
    appUrl: APP_URL,
    database,
    api: async (path, sent) =>
      receivedOf(await api(incoming(requestTo(`${BASE_URL}${path}`, sent), '127.0.0.1'))),
    app: async (path, sent) => receivedOf(await web(requestTo(`${APP_URL}${path}`, sent))),
  })
}
