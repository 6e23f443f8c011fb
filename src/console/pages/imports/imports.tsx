/** @jsxImportSource hono/jsx */
/** `/operator/imports`: files are given to be imported here, and what became of them. */

import { readColumns } from '../../../intake/import/jobs/mapping.ts'
import {
  appendChunk,
  createJob,
  expectRoom,
  listJobs,
  readJob,
} from '../../../intake/import/jobs/store.ts'
import { CHUNK_BYTES, MOST_FILE_BYTES } from '../../../intake/import/jobs/types.ts'
import { refusedColumns } from '../../../intake/import/sources.ts'
import { KINDS, type KindName } from '../../../intake/import/summary.ts'
import { FieldError } from '../../../people/users/validation.ts'
import { ASSETS } from '../../../site/http/assets.ts'
import type { Form as Fields } from '../../../site/http/form.ts'
import { type FormErrors, withFormErrors } from '../../../site/http/form-errors.ts'
import { type Page, type PageContext, type Reply, redirect } from '../../../site/http/page.ts'
import type { Upload } from '../../../site/http/upload.ts'
import { Submit } from '../../../site/ui/actions.tsx'
import { Radios } from '../../../site/ui/fields.tsx'
import { Form, Labelled } from '../../../site/ui/form.tsx'
import { numbers, Section } from '../../../site/ui/page-parts.tsx'
import { figure, humanize, Moment } from '../../../site/ui/text.tsx'
import { addImport, deleteImport, endUpload } from '../../acts/imports.ts'
import { perform } from '../../acts/perform.ts'
import { Said } from '../../ui/acts.tsx'
import { actorOf, type OperatorContext, operatorPage } from '../../ui/frame.tsx'
import { List } from '../../ui/lists.tsx'
import { IMPORTS, importPath, JOURNAL } from '../../ui/paths.ts'
import { orFieldError, rowsOf, StateBadge } from './parts.tsx'
import { RefusedSources } from './source-columns.tsx'

const HINTS = {
  companies: 'Projects, investors and service providers.',
  people: 'Who works or worked where. Their private channels are shown on no page.',
  rounds: 'Funding rounds of companies that the directory has.',
}

/** File types that browsers offer. */
const ENDINGS = '.xlsx,.csv,.tsv,.json,.jsonl,.ndjson,.gz'

export async function importsPage(context: OperatorContext, errors?: FormErrors): Promise<Page> {
  const { database } = context.application
  const [jobs, refused] = await Promise.all([listJobs(database), refusedColumns(database)])
  return operatorPage(
    context,
    { title: 'Imports' },
    <>
      <Said context={context} />
      <RefusedSources context={context} refused={refused} />
      <UploadForm context={context} errors={errors} />
      <Section id="imports" title="Uploaded files" {...(jobs.length > 0 && { count: jobs.length })}>
        <List
          label="Imports, newest first"
          rows={jobs}
          none={
            <>
              No file was uploaded yet. The <a href={context.href(JOURNAL)}>journal</a> has imports
              made by commands.
            </>
          }
          cells={[
            [
              'File',
              ({ id, file }) => (
                <a href={context.href(importPath(id))}>
                  <bdi>{file}</bdi>
                </a>
              ),
            ],
            ['Kind', ({ kind }) => humanize(kind)],
            ['State', (job) => <StateBadge job={job} />],
            [numbers('Rows'), (job) => figure(rowsOf(job))],
            ['Given by', ({ addedBy }) => <bdi>{addedBy}</bdi>],
            ['When (UTC)', ({ addedAt }) => <Moment at={addedAt} />],
          ]}
        />
      </Section>
      <script type="module" src={context.href(ASSETS.imports.path)}></script>
    </>,
  )
}

function UploadForm({ context, errors }: { context: PageContext; errors: FormErrors | undefined }) {
  const megabytes = MOST_FILE_BYTES / 1_048_576
  return (
    <Form context={context} action={IMPORTS} class="form drop" enctype="multipart/form-data">
      <p>Uploading changes nothing yet: you see a preview first, then confirm.</p>
      <Radios
        name="kind"
        legend="What is in it?"
        options={KINDS.map((kind) => ({ value: kind, label: humanize(kind), hint: HINTS[kind] }))}
        chosen={errors?.form.get('kind') ?? undefined}
        errors={errors}
      />
      <Labelled
        name="file"
        label="File"
        hint={
          <>
            An Excel workbook (.xlsx), whose first sheet is read, CSV or JSON, at most {megabytes}{' '}
            MB. <a href={context.href('/docs/import')}>What a file may have</a>
          </>
        }
        errors={errors}
      >
        {({ id, described }) => (
          <input
            id={id}
            type="file"
            name="file"
            accept={ENDINGS}
            required
            data-most={MOST_FILE_BYTES}
            {...described}
          />
        )}
      </Labelled>
      <Submit>{addImport.button}</Submit>
    </Form>
  )
}

/** Takes a file in, and leads to what its columns mean. */
export function takeUpload(context: OperatorContext, form: Fields): Promise<Reply> {
  return withFormErrors(
    form,
    (errors) => importsPage(context, errors),
    async () => {
      const kind = KINDS.find((one) => one === form.get('kind'))
      if (!kind) throw new FieldError('kind', 'Say what is in the file.')
      const { file } = context
      if (!file || file.name === '') throw new FieldError('file', 'Choose a file.')
      const id = await takeFile(context, kind, file)
      return redirect(context.href(importPath(id)))
    },
  )
}

/**
 * Stores a file as a new import. One that doesn't come whole is deleted.
 * @returns the import's id
 * @throws FieldError for a file that is not taken; PageError where it breaks off or is too large
 */
function takeFile(
  context: OperatorContext,
  kind: KindName,
  { name, bytes }: Upload,
): Promise<string> {
  const { database } = context.application
  const { desk } = context.console
  return orFieldError(
    async () => {
      const by = actorOf(context)
      await expectRoom(desk.beside)
      const id = await createJob(database, { kind, name, by })
      try {
        for await (const chunk of inChunks(bytes)) {
          await expectRoom(desk.beside)
          await appendChunk(database, id, chunk)
        }
        await endUpload(database, by, id)
        // Files that hold no table are refused here, so that another one can be chosen.
        const job = await readJob(database, id)
        if (job) await readColumns(database, job, job.settings)
      } catch (error) {
        // Where this fails as well, the database forgets the upload in ten minutes.
        await perform(database, by, deleteImport, id).catch(() => {})
        throw error
      }
      return id
    },
    () => 'file',
  )
}

/** Joins pieces to chunks, because each chunk is a statement. */
async function* inChunks(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let waiting: Uint8Array[] = []
  let length = 0
  for await (const piece of pieces) {
    waiting.push(piece)
    length += piece.length
    if (length < CHUNK_BYTES) continue
    yield Buffer.concat(waiting)
    waiting = []
    length = 0
  }
  if (length > 0) yield Buffer.concat(waiting)
}
