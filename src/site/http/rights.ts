/** Rights that an answer needs for as long as it is sent: they may end in the middle of a download, or of charges. */

import { type Feature, tierHas } from '../../contract/tiers.ts'
import { csvLine } from '../../csv.ts'
import { DatabaseUnavailable } from '../../database/client.ts'
import type { RightEnd } from '../../money/accounts/web-runs.ts'
import { type Session, sessionNow } from '../../people/users/sessions.ts'
import { csvFile } from './csv-file.ts'
import type { SignedInContext } from './page.ts'

/** Bytes of a file between two looks at the reader's session. */
const FILE_BYTES = 64 * 1024

/**
 * Reads the session of the page's reader again.
 * @returns undefined where it, or its membership, has ended. @throws DatabaseUnavailable, by which nothing is unknown
 */
async function sessionOf({ application, session }: SignedInContext): Promise<Session | undefined> {
  return sessionNow(application.database, session).catch((error: unknown) => {
    if (!(error instanceof DatabaseUnavailable)) throw error
    throw new DatabaseUnavailable('the session could not be read', { cause: error })
  })
}

/**
 * Why the page's reader may not be charged any more; null where they may.
 * @param feature of the plan that the charge needs. @throws DatabaseUnavailable, by which nothing is unknown
 */
export async function rightEnd(
  context: SignedInContext,
  feature?: Feature,
): Promise<RightEnd | null> {
  const session = await sessionOf(context)
  if (!session) return 'access'
  const { suspensionReason, tier } = session.account
  if (suspensionReason !== null) return 'suspended'
  return feature === undefined || tierHas(tier, feature) ? null : 'plan'
}

interface FileRight {
  /** Returns true for a session that may have the file; without it, any of the account may. */
  allows?: ((session: Session) => boolean) | undefined
  /** Sent between two looks. */
  bytes?: number
}

/**
 * Yields the pieces of a file while its reader may have them: looks before the first one, and again after each `bytes`.
 * @param last the piece that ends a file whose reader may not have the rest
 */
export async function* whileAllowed<Piece extends { length: number }>(
  context: SignedInContext,
  pieces: AsyncIterable<Piece>,
  last: () => Piece,
  { allows = () => true, bytes = FILE_BYTES }: FileRight = {},
): AsyncGenerator<Piece> {
  const iterator = pieces[Symbol.asyncIterator]()
  let sent = bytes
  try {
    for (;;) {
      if (sent >= bytes) {
        const session = await sessionOf(context)
        if (!session || !allows(session)) return yield last()
        sent = 0
      }
      const { value, done } = await iterator.next()
      if (done) return
      sent += value.length
      yield value
    }
  } finally {
    await iterator.return?.()
  }
}

/** A CSV file of the account's own data, or of an operator's. Its last line says where the reader's right to it ended. */
export function ownCsvFile(
  context: SignedInContext,
  name: string,
  lines: AsyncIterable<string>,
  allows?: (session: Session) => boolean,
): Response {
  const last = () =>
    csvLine(['This file is incomplete because you were signed out or no longer have access to it.'])
  return csvFile(context.log, name, whileAllowed(context, lines, last, { allows }))
}
