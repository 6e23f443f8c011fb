/** Reads a form whose file is too large for memory: first the fields, then the file's bytes as they arrive. */
import { once } from 'node:events'
import { Busboy } from '@fastify/busboy'
import { arriving, tooLarge } from './body.ts'
import { type Form, MAX_FORM_BYTES, nulIn } from './form.ts'
import { ClientLeft, PageError } from './page-error.ts'

/** A form that was read up to its file. */
export interface Sent {
  /** Without the fields that come after the file. */
  form: Form
  /** Undefined where the form has no file. */
  file?: Upload
}

/** The file of a form, which is on its way. */
export interface Upload {
  /** Its name as the browser gave it, without folders and what can't be seen; '' where it gave none. */
  name: string
  /**
   * Its bytes, once: no more is read from the connection than was asked for.
   * @throws ClientLeft where it doesn't come whole; PageError 413 for more bytes than allowed, 400 for a second file
   */
  bytes: AsyncIterable<Uint8Array>
}

const LIMITS = { files: 1, fields: 20, fieldSize: 4_096, headerPairs: 20, headerSize: 4_096 }

/** True for a multipart form, as one with a file is. */
export const isMultipart = (request: Request): boolean =>
  /^multipart\/form-data\s*;/i.test(request.headers.get('content-type') ?? '')

/**
 * Reads a form up to its file's first bytes.
 * @param mostBytes of the file
 * @throws PageError 413 for a length beyond that, 400 for what can't be read; ClientLeft
 */
export async function readUpload(request: Request, mostBytes: number): Promise<Sent> {
  const mostOfAll = mostBytes + MAX_FORM_BYTES
  const refused = () => tooLarge(`The file may have ${Math.floor(mostBytes / 1_048_576)} MB.`)
  if (Number(request.headers.get('content-length')) > mostOfAll) throw refused()
  const form: Form = new URLSearchParams()
  const waiting: Uint8Array[] = []
  let name: string | undefined
  let problem: Error | undefined
  const parser = parserOf(request)
  const fail = (error: Error) => {
    problem ??= error
  }
  parser.on('field', (field, value, _, isCut) => {
    if (isCut) fail(unreadable())
    const nul = nulIn(field, value)
    if (nul) fail(nul)
    if (name === undefined) form.append(field, value)
  })
  parser.on('file', (_, stream, given) => {
    name = cleanName(given)
    stream.on('data', (piece: Uint8Array) => waiting.push(piece))
    stream.on('error', () => fail(new ClientLeft()))
  })
  parser.on('filesLimit', () =>
    fail(new PageError(400, 'One file at a time', 'Send each by itself.')),
  )
  parser.on('fieldsLimit', () => fail(unreadable()))
  parser.on('error', () => fail(name === undefined ? unreadable() : new ClientLeft()))

  const body = arriving(request, false)
  let taken = 0
  let isRead = false

  /** Takes in what arrives next. */
  async function next(): Promise<void> {
    const { value, done } = await body.next()
    if (done) {
      isRead = true
      parser.end()
      if (!problem) await once(parser, 'finish').catch(() => {})
    } else {
      taken += value.byteLength
      if (taken > mostOfAll) fail(refused())
      else await new Promise((resolve) => parser.write(value, resolve))
    }
    if (problem) {
      await body.return(undefined)
      throw problem
    }
  }

  async function* bytes() {
    try {
      for (;;) {
        yield* waiting.splice(0)
        if (isRead) return
        await next()
      }
    } finally {
      await body.return(undefined)
    }
  }

  while (name === undefined && !isRead) await next()
  return name === undefined ? { form } : { form, file: { name, bytes: bytes() } }
}

function parserOf(request: Request) {
  try {
    const type = request.headers.get('content-type') ?? ''
    return new Busboy({ headers: { 'content-type': type }, limits: LIMITS })
  } catch {
    throw unreadable()
  }
}

const unreadable = () =>
  new PageError(400, 'The form could not be read', 'Send it again from its page.')

/** @param given without its folders */
function cleanName(given: string): string {
  return given
    .normalize('NFC')
    .replace(/[\p{C}\p{Z}]+/gu, ' ')
    .trim()
    .slice(0, MAX_NAME)
    .toWellFormed()
}

/** UTF-16 units of a file's name. */
const MAX_NAME = 200
