/** @jsxImportSource hono/jsx */
/** `/operator/backups`: backups that there are, one more now, and their download. */

import { open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { nameOfBackup } from '../../../database/backup/kept.ts'
import { errorCode } from '../../../database/client.ts'
import type { Form as Fields } from '../../../site/http/form.ts'
import { notFound } from '../../../site/http/form-errors.ts'
import type { Html } from '../../../site/http/html.ts'
import { type Page, type Reply, redirect } from '../../../site/http/page.ts'
import { whileAllowed } from '../../../site/http/rights.ts'
import { Submit } from '../../../site/ui/actions.tsx'
import { Facts } from '../../../site/ui/facts.tsx'
import { Form, IdempotencyField } from '../../../site/ui/form.tsx'
import { Notice, numbers, Section, Table } from '../../../site/ui/page-parts.tsx'
import { Day, figure, Moment } from '../../../site/ui/text.tsx'
import { type BackupList, downloadBackup, listBackups, makeBackup } from '../../acts/backups.ts'
import { ConfirmLink, type LoadConfirmation } from '../../ui/confirmation.tsx'
import { type OperatorContext, operatorPage, performed, performedOnce } from '../../ui/frame.tsx'
import { BACKUPS } from '../../ui/paths.ts'

/** How long the answer to the form waits for the backup: a small database is saved by then, and the page says how it went. */
const WAIT_MS = 4_000
/** Older ones are in the folder. */
const MOST_SHOWN = 200

export async function backupsPage(context: OperatorContext): Promise<Page> {
  const { database } = context.application
  const { config, backups: runs } = context.console
  const { dir } = config.backups
  const title = { title: 'Backups' }
  if (!dir) return operatorPage(context, title, <NoFolder />)
  const settings = { ...config.backups, dir }
  const found = await listBackups(database, settings).catch(unreadable)
  if (typeof found === 'string') {
    return operatorPage(
      context,
      title,
      <Notice tone="bad">
        The folder <code>{dir}</code> of <code>BACKUP_DIR</code> can’t be read ({found}). The user
        that the service runs as must be able to read and to write it.
      </Notice>,
    )
  }
  return operatorPage(
    context,
    title,
    <>
      <State context={context} found={found} />
      <Facts
        facts={[
          { name: 'Folder', value: <code>{dir}</code> },
          { name: 'Kept', value: `the newest ${figure(settings.keep)}` },
        ]}
      />
      {runs ? (
        <Form context={context} action={BACKUPS}>
          <IdempotencyField />
          <p class="actions">
            <Submit>Back up now</Submit>
          </p>
        </Form>
      ) : (
        <p class="note">
          This process starts no others. The command <code>{`backup ${dir} --keep N`}</code> makes
          one now.
        </p>
      )}
      <Section id="backups" title="Backups" count={found.backups.length}>
        <Listed context={context} backups={found.backups} />
        <p class="note">
          Each machine that serves shows the backups in its own folder. The command{' '}
          <code>restore</code> reads one back in.
        </p>
      </Section>
    </>,
  )
}

/** @returns the code of the system's error. @throws other errors */
function unreadable(error: unknown): string {
  const code = errorCode(error) ?? ''
  if (/^E(ACCES|PERM|NOTDIR|IO|STALE|LOOP)$/.test(code)) return code
  throw error
}

/** Progress of a backup, or the reason why the last one failed. */
function State({ context, found }: { context: OperatorContext; found: BackupList }): Html | null {
  const run = context.console.backups?.last()
  const bytes = found.bytesUnderWay
  if (bytes !== null || run?.state === 'running') {
    return (
      <Notice tone="good">
        A backup is being made{bytes ? `: ${megabytes(bytes)} MB are written` : ''}.{' '}
        <a href={context.href(BACKUPS)}>Look again</a>
      </Notice>
    )
  }
  if (run?.state !== 'failed') return null
  return (
    <Notice tone="bad">
      The last backup that was asked for here was not made: <bdi>{run.reason}</bdi>
    </Notice>
  )
}

const megabytes = (bytes: number) => figure(Math.ceil(bytes / 1e6))

function Listed({ context, backups }: { context: OperatorContext } & Pick<BackupList, 'backups'>) {
  if (backups.length === 0) {
    return <p class="empty">None of this database lies in that folder of this machine.</p>
  }
  return (
    <>
      <Table
        label="Backups, newest first"
        isCards
        columns={['Made (UTC)', 'File', numbers('Size (MB)'), 'Kept until about', 'Action']}
        rows={backups.slice(0, MOST_SHOWN).map(({ name, madeAt, bytes, keptUntil }) => [
          <Moment at={madeAt} />,
          <code>{name}</code>,
          megabytes(bytes),
          <Day at={keptUntil} />,
          <ConfirmLink
            context={context}
            action="download-backup"
            subject={name}
            label={`Download ${name}`}
          >
            Download
          </ConfirmLink>,
        ])}
      />
      {backups.length > MOST_SHOWN ? (
        <p class="note">The newest {MOST_SHOWN} are shown; the others lie in the folder.</p>
      ) : null}
    </>
  )
}

const NoFolder = () => (
  <Notice tone="warn">
    No backup is made: <code>BACKUP_DIR</code> is not set. Start the service with{' '}
    <code>BACKUP_DIR=/a/folder</code>, best on another disk, and it makes one a day and keeps the
    newest 14. The command <code>backup FILE</code> makes one now.
  </Notice>
)

/** Begins one in a process of its own, once for each form. */
export async function backUpNow(context: OperatorContext, form: Fields): Promise<Reply> {
  const { backups } = context.console
  if (!backups) throw notFound('folder for backups')
  if (backups.last()?.state !== 'running') {
    const name = nameOfBackup(new Date())
    const { isRepeated, result } = await performedOnce(context, form, makeBackup(name))
    if (!isRepeated && !result) throw notFound('page')
    // Where several processes serve, the next page may be another's, which knows of no failure.
    const run = isRepeated ? undefined : await Promise.race([backups.begin(name), pause(WAIT_MS)])
    if (run?.state === 'failed') return { ...(await backupsPage(context)), status: 503 }
  }
  return redirect(context.href(BACKUPS))
}

export const BACKUP_CONFIRMATIONS = {
  'download-backup': async (context, { subject }) => {
    const { name, path } = await backupNamed(context, subject)
    return {
      title: `Download ${name}`,
      lead: 'A backup holds everything: all people with their e-mail addresses, phone numbers and Telegram names, all accounts with their ledgers, the hashes of keys and passwords, and the secrets of two-step sign-in. Keep it where nobody else reads it. The audit log says that you had it. A download that breaks off begins anew.',
      label: 'Download',
      noun: 'backup',
      back: BACKUPS,
      prepare: () => () => sent(context, name, path),
    }
  },
} satisfies Readonly<Record<string, LoadConfirmation>>

/** Finds a backup by its name in the listing, never by a path. Case is ignored, because the confirmation page lowers it. @throws PageError 404 */
async function backupNamed({ application, console }: OperatorContext, asked: string) {
  const { database } = application
  const { config } = console
  const { dir } = config.backups
  const { backups } = dir
    ? await listBackups(database, { ...config.backups, dir })
    : { backups: [] }
  const backup = backups.find(({ name }) => name.toLowerCase() === asked)
  if (!backup) throw notFound('backup')
  return backup
}

/** Bytes of a backup between two looks at whether its reader is an operator. */
const BACKUP_BYTES = 1024 * 1024

/** Sends the file as it is read, in pieces; breaks off for somebody who is no operator any more. @returns undefined for somebody who is no operator any more */
async function sent(context: OperatorContext, name: string, path: string) {
  // Opened first, so that an unreadable file isn't logged as downloaded, and one that is deleted meanwhile is sent whole.
  const file = await open(path).catch(() => undefined)
  if (!file) throw notFound('backup')
  const { size } = await file.stat()
  const isNoted = await performed(context, downloadBackup(name)).catch(async (error: unknown) => {
    await file.close()
    throw error
  })
  if (!isNoted) {
    await file.close()
    return undefined
  }
  const pieces = whileAllowed<Buffer>(context, file.createReadStream(), brokenOff, {
    allows: ({ user }) => user.isOperator,
    bytes: BACKUP_BYTES,
  })
  // The types of Node’s streams and of the web’s differ, the streams don’t.
  const body = Readable.toWeb(Readable.from(pieces)) as unknown as ReadableStream
  return new Response(body, {
    headers: {
      'content-type': 'application/x-tar',
      'content-length': String(size),
      'content-disposition': `attachment; filename="${name}"`,
    },
  })
}

function brokenOff(): never {
  throw new Error('the reader of a backup is no operator any more')
}
