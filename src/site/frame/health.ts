/** Addresses for monitors and load balancers: liveness, readiness, and the position of the directory. */
import { COMMIT } from '../../commit.ts'
import { API_VERSION } from '../../contract/version.ts'
import type { WebServices } from '../http/page.ts'
import { secured } from '../http/responses.ts'

/** Each path with what answers a GET of it. No page of the application takes part. */
export function healthAnswers({
  directory,
  readiness,
}: Pick<WebServices, 'directory' | 'readiness'>): Readonly<
  Record<string, () => Response | Promise<Response>>
> {
  return {
    // The position of the directory, for `doctor`.
    '/health': () => {
      const { position, counts, following } = directory
      const ids = following.setAside.slice(0, 20).map(({ id }) => id)
      const setAside = ids.length > 0 && { setAside: { count: following.setAside.length, ids } }
      const build = { version: API_VERSION, commit: COMMIT }
      return secured(Response.json({ status: 'ok', ...build, position, counts, ...setAside }))
    },
    '/health/live': () => secured(Response.json({ status: 'live' })),
    '/health/ready': async () => {
      const answer = await readiness()
      const status = answer.status === 'ready' ? 200 : 503
      return secured(Response.json(answer, { status }))
    },
  }
}
