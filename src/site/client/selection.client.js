// Runs in the browser, where rows have boxes. Boxes work without it: it keeps what is selected, in this window alone, while
// one filters, sorts and turns pages, and says how many there are.

const PREFIX = 'selected-'

// Its page has done what was selected for, but for those that it names.
const done = document.querySelector('[data-selection-done]')
if (done) {
  for (const key of Object.keys(sessionStorage)) {
    if (key.startsWith(PREFIX)) sessionStorage.removeItem(key)
  }
  if (done.dataset.left) sessionStorage.setItem(`${PREFIX}people`, done.dataset.left)
  // Who comes back to the page has not done it again.
  const address = new URL(location.href)
  address.searchParams.delete('said')
  history.replaceState(null, '', address)
}

const formNow = () => document.querySelector('form[data-selection]')
const keyOf = (form) => PREFIX + form.dataset.selection
const boxesOf = (form) => [...form.elements].filter((it) => it.type === 'checkbox')

function selected(form) {
  const kept = sessionStorage.getItem(keyOf(form))
  return new Set(kept ? kept.split(',') : [])
}

function keep(form, ids) {
  sessionStorage.setItem(keyOf(form), [...ids].join())
}

/** The bar with the number of selected records, and a button that clears them. */
function statusOf(form) {
  const made = form.querySelector('.chosen')
  if (made) return made
  const status = document.createElement('span')
  status.className = 'chosen'
  status.setAttribute('role', 'status')
  const clear = document.createElement('button')
  clear.type = 'button'
  clear.className = 'button quiet clear'
  clear.textContent = 'Clear selection'
  clear.addEventListener('click', () => {
    keep(form, [])
    show(form)
    boxesOf(form)[0]?.focus()
  })
  form.append(status, clear)
  return status
}

/** Ticks the boxes of those that are selected; the others go along as hidden fields. */
function show(form, problem = '') {
  const ids = selected(form)
  const boxes = boxesOf(form)
  for (const box of boxes) box.checked = ids.has(box.value)
  const here = new Set(boxes.map(({ value }) => value))
  const elsewhere = [...ids].filter((id) => !here.has(id))
  for (const field of form.querySelectorAll('input[data-elsewhere]')) field.remove()
  for (const id of elsewhere) {
    const field = document.createElement('input')
    field.type = 'hidden'
    field.name = 'ids'
    field.value = id
    field.dataset.elsewhere = ''
    form.append(field)
  }
  const count = ids.size === 0 ? '' : `${ids.size} selected`
  const rest = elsewhere.length === 0 ? '' : `, ${elsewhere.length} not on this page`
  statusOf(form).textContent = [count + rest, problem].filter(Boolean).join('. ')
  form.querySelector('.clear').hidden = ids.size === 0
}

document.addEventListener('change', ({ target }) => {
  const form = formNow()
  if (!form || target.form !== form || target.type !== 'checkbox') return
  const ids = selected(form)
  if (!target.checked) ids.delete(target.value)
  else if (ids.size < Number(form.dataset.most)) ids.add(target.value)
  else return show(form, `At most ${form.dataset.most} at once`)
  keep(form, ids)
  show(form)
})

const showNow = () => {
  const form = formNow()
  if (form) show(form)
}
// Rows were replaced; or the browser shows a page again as it left it.
document.addEventListener('rows', showNow)
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) showNow()
})

// Boxes that were ticked before this ran count, but not those that the browser restores on the way back.
const form = formNow()
if (form && performance.getEntriesByType('navigation')[0]?.type === 'navigate') {
  const ticked = boxesOf(form).filter(({ checked }) => checked)
  keep(
    form,
    [...new Set([...selected(form), ...ticked.map(({ value }) => value)])].slice(
      0,
      form.dataset.most,
    ),
  )
}
showNow()
