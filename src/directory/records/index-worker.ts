/** The thread of `index-thread.ts`: texts of records to a search index, and the index in parts. */
import { parentPort } from 'node:worker_threads'
import { companyDocument, personDocument } from '../../../index-build/documents.ts'
import { TermIndex } from '../../../index-build/term-index.ts'
import type { FromIndexThread, IndexTexts, ToIndexThread } from './index-thread.ts'

const indexes = { company: new TermIndex(), person: new TermIndex() }

/** @param given arrays whose memory goes to the load instead of being copied: this thread ends. */
function tell(message: FromIndexThread, given: readonly Uint32Array[] = []) {
  parentPort?.postMessage(
    message,
    given.map(({ buffer }) => buffer as ArrayBuffer),
  )
}

parentPort?.on('message', (message: ToIndexThread) => {
  const { company, person } = indexes
  if (message === 'end') {
    for (const part of company.parts()) tell({ kind: 'company', ...part }, part.arrays)
    for (const part of person.parts()) tell({ kind: 'person', ...part }, part.arrays)
    tell('whole')
    return
  }
  const { companies, people }: IndexTexts = JSON.parse(message)
  for (const text of companies) company.replace(company.slotCount, null, companyDocument(text))
  for (const text of people) person.replace(person.slotCount, null, personDocument(text))
  tell('taken')
})
