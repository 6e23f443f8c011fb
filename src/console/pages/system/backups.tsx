/** @jsxImportSource hono/jsx */
/** `/operator/backups`: backups that there are, one more now, and their download. */

import { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { nameOfBackup } from '../../../database/backup/kept.ts'
import { errorCode } from '../../../database/client.ts'
import type { Form as Fields } from '../../../site/http/form.ts'
import { notFound } from '../../../site/http/form-errors.ts'
import type { Html } from '../../../site/http/html.ts'
import { type Page, type Reply, redirect } from '../../../site/http/page.ts'
import { whileAllowed } from '../../../site/http/rights.ts'
import { Facts } from '../../../site/ui/facts.tsx'
import { idempotencyKeyOf } from '../../../site/ui/form.tsx'
import { Notice, numbers, Section, Table } from '../../../site/ui/page-parts.tsx'
import { Day, figure, Moment } from '../../../site/ui/text.tsx'
import { type BackupList, listBackups } from '../../acts/backup-list.ts'
import { downloadBackup, makeBackup } from '../../acts/backups.ts'
import { doAct } from '../../acts/perform.ts'
import { ActForm, formsOf, resourcesOf, viewOf } from '../../ui/acts.tsx'
import { ConfirmLink } from '../../ui/confirm-link.tsx'
import { type OperatorContext, operatorPage } from '../../ui/frame.tsx'
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
        <ActForm context={context} act={makeBackup} />
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
          <ConfirmLink context={context} act={downloadBackup} on={name} label={`Download ${name}`}>
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
async function backUp(context: OperatorContext, form: Fields): Promise<Reply> {
  const { backups } = context.console
  if (!backups) throw notFound('folder for backups')
  if (backups.last()?.state !== 'running') {
    const name = nameOfBackup(new Date())
    const key = idempotencyKeyOf(form)
    const { isRepeated, result } = await doAct(resourcesOf(context), makeBackup, name, {}, key)
    if (!isRepeated && !result) throw notFound('page')
    // Where several processes serve, the next page may be another's, which knows of no failure.
    const run = isRepeated ? undefined : await Promise.race([backups.begin(name), pause(WAIT_MS)])
    if (run?.state === 'failed') return { ...(await backupsPage(context)), status: 503 }
  }
  return redirect(context.href(BACKUPS))
}

export const backUpNow = formsOf('backup', backupsPage, { [makeBackup.name]: backUp })

/** Bytes of a backup between two looks at whether its reader is an operator. */
const BACKUP_BYTES = 1024 * 1024

/** Sends the file as it is read, in pieces; breaks off for somebody who is no operator any more. */
export const BACKUP_FILE = viewOf(downloadBackup, {
  async reply(context, file, { on }) {
    const { size } = await file.stat()
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
        'content-disposition': `attachment; filename="${on}"`,
      },
    })
  },
})

function brokenOff(): never {
  throw new Error('the reader of a backup is no operator any more')
}
