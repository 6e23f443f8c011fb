// Runs in the browser, on every page: suggestions below the header's search box, and the palette that Ctrl-K opens.
// Without it the box is a form that leads to the search. Both are comboboxes as WAI-ARIA describes them: the focus
// stays in the field, which names the option that Enter opens.

const form = document.querySelector('.find form')
const { suggestions, palette: paletteAddress } = form.dataset

const PAUSE_MS = 150
/** Fewer letters name too many. */
const LETTERS_MIN = 2
const RECORDS_SHOWN = 5
const DOCS_SHOWN = 5

const parsed = (text) => new DOMParser().parseFromString(text, 'text/html').body.firstElementChild

/** Asks what a text suggests, once typing pauses. An answer to an earlier text is dropped. @param show gets null where nothing is suggested */
function asker(show) {
  let timer
  let latest = new AbortController()
  return (q) => {
    clearTimeout(timer)
    latest.abort()
    if (q.length < LETTERS_MIN) return show(null)
    latest = new AbortController()
    const { signal } = latest
    timer = setTimeout(async () => {
      const address = `${suggestions}?${new URLSearchParams({ q })}`
      // The form itself still answers if the service can't be reached or refuses.
      const answer = await fetch(address, { signal })
        .then((response) => (response.ok ? response.text() : ''))
        .catch(() => '')
      if (!signal.aborted) show(answer && parsed(answer))
    }, PAUSE_MS)
  }
}

/** The number of options with an id, which their field refers to. */
let named = 0

/** The options of a field, one of which may be chosen. */
function choices(field, list) {
  const shown = () =>
    [...list.querySelectorAll('[role=option]')].filter((it) => !it.closest('[hidden]'))
  const chosen = () => shown().find((it) => it.ariaSelected === 'true')

  function choose(option) {
    for (const it of list.querySelectorAll('[role=option]')) it.ariaSelected = String(it === option)
    if (option) field.setAttribute('aria-activedescendant', option.id)
    else field.removeAttribute('aria-activedescendant')
    option?.scrollIntoView({ block: 'nearest' })
  }

  /** @param ends what comes before the first and after the last: the field itself, or nothing */
  function move(step, ends) {
    const stops = [...ends, ...shown()]
    const at = stops.indexOf(chosen() ?? null)
    choose(stops.at((Math.max(at, step > 0 && ends.length === 0 ? at : 0) + step) % stops.length))
  }

  /** After options came or went. @returns how many there are */
  function number() {
    const options = shown()
    for (const it of options) {
      it.id ||= `${list.id}-${++named}`
      it.ariaSelected ??= 'false'
    }
    return options.length
  }

  return { shown, chosen, choose, move, number }
}

function startSuggestions() {
  const field = form.elements.q
  const list = document.createElement('div')
  list.id = 'suggestions'
  list.className = 'options'
  list.role = 'listbox'
  list.ariaLabel = 'Suggestions'
  list.hidden = true
  const status = document.createElement('p')
  status.className = 'unseen'
  status.role = 'status'
  form.append(list, status)
  // A search field is no combobox, and has an Escape of its own.
  field.type = 'text'
  field.enterKeyHint = 'search'
  field.autocomplete = 'off'
  field.spellcheck = false
  field.role = 'combobox'
  field.ariaAutoComplete = 'list'
  field.ariaExpanded = 'false'
  field.setAttribute('aria-controls', list.id)

  const { chosen, choose, move, number } = choices(field, list)

  function close() {
    list.hidden = true
    field.ariaExpanded = 'false'
    choose(null)
    status.textContent = ''
  }

  const ask = asker((found) => {
    list.replaceChildren(...(found?.children ?? []))
    close()
    if (list.childElementCount === 0 || document.activeElement !== field) return
    list.hidden = false
    field.ariaExpanded = 'true'
    status.textContent = `${number()} of ${found.dataset.total} suggested`
  })

  field.addEventListener('input', () => ask(field.value.trim()))
  field.addEventListener('keydown', (event) => {
    const { key } = event
    if (event.isComposing) return
    if (list.hidden) {
      if (key === 'Escape') field.value = ''
      if (key !== 'ArrowDown' && key !== 'ArrowUp') return
      if (list.childElementCount === 0) return ask(field.value.trim())
      list.hidden = false
      field.ariaExpanded = 'true'
    } else if (key === 'Escape') close()
    else if (key === 'Enter' && chosen()) chosen().click()
    else if (key === 'ArrowDown') move(1, [null])
    else if (key === 'ArrowUp') move(-1, [null])
    else return
    event.preventDefault()
  })
  // The list goes with the focus, also to the button beside the field, and with the text that is sent.
  form.addEventListener('focusout', ({ relatedTarget }) => {
    if (relatedTarget !== field && !list.contains(relatedTarget)) ask('')
  })
  form.addEventListener('submit', () => ask(''))
  // Pressing an option leaves the focus in the field, or the list would be gone before the press is a click.
  list.addEventListener('mousedown', (event) => event.preventDefault())
  list.addEventListener('click', close)
}

/** A text's words without case, accents and punctuation. */
const wordsOf = (text) =>
  text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .split(/[\s\p{P}]+/u)
    .filter(Boolean)

/** True if each word of the query begins one of the text. */
function matches(text, q) {
  const [words, parts] = [wordsOf(text), wordsOf(q)]
  return parts.length > 0 && parts.every((part) => words.some((word) => word.startsWith(part)))
}

async function loadPalette() {
  const response = await fetch(paletteAddress)
  if (!response.ok) throw new Error(`the palette answers ${response.status}`)
  const dialog = document.adoptNode(parsed(await response.text()))
  document.body.append(dialog)
  const field = dialog.querySelector('input')
  const list = dialog.querySelector('.options')
  const status = dialog.querySelector('[role=status]')
  const template = dialog.querySelector('template')
  const everything = dialog.querySelector('[data-everything]')
  const group = (name) => dialog.querySelector(`[data-group=${name}]`)
  const { shown, chosen, choose, move, number } = choices(field, list)
  let docs
  let hasMoved = false

  function fill(name, options) {
    group(name).lastElementChild.replaceChildren(...options)
    group(name).hidden = options.length === 0
    const count = number()
    if (!hasMoved || !chosen()) choose(shown()[0])
    status.textContent = `${count} ${count === 1 ? 'result' : 'results'}`
  }

  const ask = asker((found) =>
    fill('records', [...(found?.children ?? [])].slice(0, RECORDS_SHOWN)),
  )

  function optionOf({ href, title, page }) {
    const option = template.content.firstElementChild.cloneNode(true)
    option.href = href
    option.querySelector('.name').textContent = title
    option.querySelector('.facts').textContent = page
    return option
  }

  async function findDocs(q) {
    docs ??= import(dialog.dataset.docsScript).then(({ loadDocs }) =>
      loadDocs(dialog.dataset.docsIndex),
    )
    const find = await docs.catch(() => {
      docs = undefined
      return () => []
    })
    if (q === field.value.trim()) fill('docs', q ? find(q).slice(0, DOCS_SHOWN).map(optionOf) : [])
  }

  function follow() {
    const q = field.value.trim()
    hasMoved = false
    choose(null)
    for (const page of group('pages').querySelectorAll('[role=option]')) {
      page.hidden = q !== '' && !matches(`${page.textContent} ${page.dataset.words ?? ''}`, q)
    }
    group('pages').hidden = !group('pages').querySelector('[role=option]:not([hidden])')
    everything.hidden = q === ''
    everything.lastElementChild.textContent = q
    everything.search = new URLSearchParams({ q })
    fill('records', [])
    ask(q)
    findDocs(q)
  }

  field.addEventListener('input', follow)
  field.addEventListener('keydown', (event) => {
    const { key } = event
    if (event.isComposing) return
    if (key === 'Enter') chosen()?.click()
    else if (key === 'ArrowDown' || key === 'ArrowUp') {
      hasMoved = true
      move(key === 'ArrowDown' ? 1 : -1, [])
    } else return
    event.preventDefault()
  })
  list.addEventListener('mousedown', (event) => event.preventDefault())
  let pressed
  dialog.addEventListener('mousedown', ({ target }) => {
    pressed = target
  })
  dialog.addEventListener('click', ({ target }) => {
    // Outside, where a selection that began in the field may end; or an option, which may lead to a place on this page.
    const isOutside = target === dialog && pressed === dialog
    if (isOutside || target.closest('[role=option], button')) dialog.close()
  })
  dialog.addEventListener('close', () => ask(''))
  return {
    toggle() {
      if (dialog.open) return dialog.close()
      field.value = ''
      dialog.showModal()
      follow()
    },
  }
}

let palette

/** Opens the palette, or closes it. Where it can't be had, the header's box is what is left. */
async function togglePalette() {
  palette ??= loadPalette()
  try {
    const { toggle } = await palette
    toggle()
  } catch {
    palette = undefined
    form.elements.q.focus()
  }
}

function startPalette() {
  const isMac = /Mac|iPhone|iPad/.test(navigator.platform)
  const where = 'a page, a record or the documentation'
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'palette-key'
  // Fingers have no key for it.
  const key = matchMedia('(hover: hover)').matches ? (isMac ? '⌘K' : 'Ctrl K') : null
  button.textContent = key ?? 'Go to'
  button.ariaLabel = key ? `${key}: go to ${where}` : `Go to ${where}`
  button.setAttribute('aria-keyshortcuts', isMac ? 'Meta+K' : 'Control+K')
  // The focus stays in the field: on a phone the button is there as long as that has it.
  button.addEventListener('mousedown', (event) => event.preventDefault())
  button.addEventListener('click', togglePalette)
  form.elements.q.after(button)
  document.addEventListener('keydown', (event) => {
    // On a Mac Ctrl-K cuts the rest of a line. Keyboards of other letters have the K where the Latin ones have it.
    const isAsked = isMac ? event.metaKey && !event.ctrlKey : event.ctrlKey && !event.metaKey
    const letter = /^[a-z]$/i.test(event.key) ? `Key${event.key.toUpperCase()}` : event.code
    if (!isAsked || event.altKey || event.shiftKey || letter !== 'KeyK') return
    event.preventDefault()
    if (!event.repeat) togglePalette()
  })
}

startSuggestions()
startPalette()
