/** Private channels never enter the server's memory or log for an account that has unlocked nothing. */
import { expect, test } from 'bun:test'
import { open, readFile } from 'node:fs/promises'
import { ADA, AURORA, BEN, fixtures } from '../helpers/fixtures.ts'
import { sharedDatabase, sharedServer } from '../helpers/shared.ts'
import { INSTANCE_WORKERS, load, loadAccounts, workersOf } from './load.ts'

/** Words of each person's channels, which the fixtures use nowhere else. */
const SENTINELS = [ADA.email, ADA.telegram, ADA.linkedinUrl, BEN.email]

const db = sharedDatabase(fixtures)
const servers = [...new Set(INSTANCE_WORKERS)].map((workers) =>
  sharedServer(() => ({ DATABASE_URL: db.url, LOG_LEVEL: 'debug', WORKERS: workers })),
)

test.skipIf(process.platform !== 'linux')(
  'no private channel is in the memory or log of any process after 2,000 mixed calls without unlocks',
  async () => {
    const accounts = await loadAccounts(db.database, 20)
    // The team and enterprise accounts alone could reveal: without the scope nobody can.
    await db.sql`update api_keys set scopes = '{read:metadata}'`
    const urls = servers.map(({ apiUrl }) => apiUrl)
    const seen = await load({ urls, accounts, connections: 32, calls: 2_000 })
    expect(seen.filter(({ status }) => status === 200).length).toBeGreaterThan(600)
    for (const server of servers) {
      const workers = workersOf(server)
      for (const pid of [server.pid, ...workers]) {
        const found = await textsInMemory(pid, [AURORA.aiSummary, ...SENTINELS])
        // Public words are found wherever calls are answered, so the search itself works.
        const isSupervisor = workers.length > 0 && pid === server.pid
        expect([...found]).toEqual(isSupervisor ? [] : [AURORA.aiSummary])
      }
      for (const sentinel of SENTINELS) {
        expect(server.output.stderr + server.output.stdout).not.toContain(sentinel)
      }
    }
  },
)

/** Texts that stand in the process's memory, as UTF-8 or as UTF-16. */
async function textsInMemory(pid: number, texts: readonly string[]): Promise<Set<string>> {
  const needles = texts.flatMap((text) =>
    (['utf8', 'utf16le'] as const).map((encoding) => ({
      text,
      bytes: Buffer.from(text, encoding),
    })),
  )
  const maps = await readFile(`/proc/${pid}/maps`, 'utf8')
  const memory = await open(`/proc/${pid}/mem`)
  const buffer = Buffer.alloc(CHUNK_BYTES + OVERLAP_BYTES)
  const zeros = Buffer.alloc(buffer.length)
  const found = new Set<string>()
  for (const line of maps.split('\n')) {
    const match = /^([0-9a-f]+)-([0-9a-f]+) rw/.exec(line)
    if (!match?.[1] || !match[2]) continue
    const start = Number.parseInt(match[1], 16)
    const end = Number.parseInt(match[2], 16)
    for (let at = start; at < end; at += CHUNK_BYTES) {
      const length = Math.min(buffer.length, end - at)
      // Pages that were never touched can't be read.
      const { bytesRead } = await memory.read(buffer, 0, length, at).catch(() => ({ bytesRead: 0 }))
      const chunk = buffer.subarray(0, bytesRead)
      // Nearly all that is mapped holds nothing.
      if (chunk.equals(zeros.subarray(0, bytesRead))) continue
      for (const { text, bytes } of needles) if (chunk.includes(bytes)) found.add(text)
    }
  }
  await memory.close()
  return found
}

const CHUNK_BYTES = 4 * 1024 * 1024
const OVERLAP_BYTES = 1024
