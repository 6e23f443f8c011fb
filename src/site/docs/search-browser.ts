/**
 * Searches the documentation in the browser while one types. `site.client.js` loads it when the search field is
 * first used; `bun run scripts` makes one file of it. Nothing that is typed leaves the browser before the form is sent.
 */
import MiniSearch from 'minisearch'
import {
  countOf,
  type DocsIndex,
  INDEX_OPTIONS,
  type Result,
  searchDocs,
} from './search-matching.ts'

/** Loads the index of a search form, then shows results below its field. @throws what fetching does; the form works without */
export async function startDocsSearch(form: HTMLFormElement): Promise<void> {
  showResults(form, await loadIndex(form.dataset.indexSrc ?? ''))
}

/** Loads the index for the palette. @returns what finds sections in it @throws what fetching does */
export async function loadDocs(address: string): Promise<(q: string) => Result[]> {
  const index = await loadIndex(address)
  return (q) => searchDocs(index, q).results
}

async function loadIndex(address: string): Promise<DocsIndex> {
  const answer = await fetch(address)
  if (!answer.ok) throw new Error(`the index answers ${answer.status}`)
  return MiniSearch.loadJSON(await answer.text(), INDEX_OPTIONS)
}

function showResults(form: HTMLFormElement, index: DocsIndex): void {
  const field = part(form, 'input', HTMLInputElement)
  const panel = part(form, '.found', HTMLElement)
  const count = part(panel, '[role=status]', HTMLElement)
  const list = part(panel, 'ul', HTMLElement)
  const template = part(form, 'template', HTMLTemplateElement)

  function show(): void {
    const q = field.value.trim()
    const found = searchDocs(index, q)
    list.replaceChildren(...found.results.map((result) => filled(template, result)))
    count.textContent = q === '' ? '' : countOf(found)
    panel.classList.toggle('unseen', q === '')
  }

  function close(): void {
    list.replaceChildren()
    count.textContent = ''
    panel.classList.add('unseen')
  }

  /** The arrow keys go from the field through the results and back to it. */
  function move(step: 1 | -1): void {
    const stops: HTMLElement[] = [field, ...list.querySelectorAll('a')]
    const current = stops.findIndex((stop) => stop.matches(':focus'))
    stops.at((current + step) % stops.length)?.focus()
  }

  field.addEventListener('input', show)
  field.addEventListener('focus', () => panel.classList.contains('unseen') && show())
  form.addEventListener('keydown', (event) => {
    if (panel.classList.contains('unseen')) return
    if (event.key === 'ArrowDown') move(1)
    else if (event.key === 'ArrowUp') move(-1)
    else if (event.key === 'Escape') {
      field.focus()
      close()
    } else return
    event.preventDefault()
  })
  // A result on this page leads to a place below the panel.
  list.addEventListener('click', close)
  const closeOutside = ({ target }: Event) => {
    if (target instanceof Node && !form.contains(target)) close()
  }
  document.addEventListener('pointerdown', closeOutside)
  document.addEventListener('focusin', closeOutside)
  if (document.activeElement === field) show()
}

/** A result as the server renders it, with this one's texts. */
function filled(template: HTMLTemplateElement, { href, title, page, excerpt }: Result): Node {
  const item = document.importNode(template.content, true)
  part(item, 'a', HTMLAnchorElement).href = href
  part(item, '.name', HTMLElement).textContent = title
  part(item, '.page-title', HTMLElement).textContent = page
  const pieces = excerpt.map(({ text, isMarked }) => {
    if (!isMarked) return text
    const mark = document.createElement('mark')
    mark.textContent = text
    return mark
  })
  part(item, '.excerpt', HTMLElement).replaceChildren(...pieces)
  return item
}

/** The element that the page has for this. @throws where it has none: the page is of another version */
function part<E extends Element>(parent: ParentNode, selector: string, type: new () => E): E {
  const found = parent.querySelector(selector)
  if (!(found instanceof type)) throw new Error(`the page has no ${selector}`)
  return found
}
