// Runs in the browser, on the pages of imports. They work without it: it takes a file that is dropped, says how much of it has
// been sent, and shows how far an import is without the page being loaded again.

/** The form as it is now: one that was refused stands in the place of the one that was sent. */
const formNow = () => document.querySelector('form.drop')

/** Says what is wrong with the chosen file before it is sent. @param problem of what was dropped */
function check({ elements: { file: field } }, problem = '') {
  const [file] = field.files
  const most = Number(field.dataset.most)
  let found = problem
  if (file?.size === 0) found = 'The file is empty.'
  if (file?.size > most) {
    found = `The file is larger than ${most / 1_048_576} MB: pack it by gzip, or split it.`
  }
  if (/\.(xlsx?|xlsm|ods|numbers)$/i.test(file?.name ?? '')) {
    found = 'This is a workbook: save its sheet as CSV, and give that.'
  }
  field.setCustomValidity(found)
  if (found) field.reportValidity()
}

const holdsFile = ({ dataTransfer }) => formNow() && dataTransfer?.types.includes('Files')

// Beside the form as well: a browser would leave the page and show the file.
document.addEventListener('dragover', (event) => {
  if (!holdsFile(event)) return
  event.preventDefault()
  formNow().classList.add('over')
})

document.addEventListener('dragleave', ({ relatedTarget }) => {
  if (!relatedTarget) formNow()?.classList.remove('over')
})

document.addEventListener('drop', (event) => {
  if (!holdsFile(event)) return
  event.preventDefault()
  const form = formNow()
  form.classList.remove('over')
  const { files } = event.dataTransfer
  if (files.length === 1) form.elements.file.files = files
  check(form, files.length === 1 ? '' : 'Give one file at a time.')
  form.elements.file.focus()
})

document.addEventListener('change', ({ target }) => {
  if (target.type === 'file' && target.form === formNow()) check(target.form)
})

document.addEventListener('submit', (event) => {
  if (event.target !== formNow() || event.defaultPrevented) return
  event.preventDefault()
  send(event.target)
})

/** Sends a form with its file, and says how much has gone. */
function send(form) {
  const button = form.querySelector('button[type=submit]')
  const bar = document.createElement('progress')
  bar.setAttribute('aria-label', 'How much of the file was sent')
  bar.max = 1
  bar.value = 0
  button.disabled = true
  button.after(bar)
  const request = new XMLHttpRequest()
  request.upload.addEventListener('progress', ({ loaded, total }) => {
    bar.value = loaded / total
  })
  const again = () => {
    bar.remove()
    button.disabled = false
    form.submit()
  }
  request.addEventListener('load', () => {
    if (request.status < 400) {
      location.assign(request.responseURL)
      return
    }
    const page = new DOMParser().parseFromString(request.responseText, 'text/html')
    const main = page.querySelector('main')
    if (!main) return again()
    // The page that refused the file explains it; its form has no file any more.
    document.querySelector('main').replaceWith(main)
    document.title = page.title
    main.querySelector('[aria-invalid=true]')?.focus()
  })
  request.addEventListener('error', again)
  request.open('POST', form.action)
  request.send(new FormData(form))
}

const PAUSE_MS = 1_500

/** Puts how far it is now in the place of how far it was, until it has ended. */
async function follow() {
  for (let progress = document.getElementById('progress'); progress; ) {
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
    const response = await fetch(location.href, { headers: { accept: 'text/html' } }).catch(
      () => null,
    )
    if (!response?.ok) continue
    const page = new DOMParser().parseFromString(await response.text(), 'text/html')
    const now = page.getElementById('progress')
    // The page says what came of it.
    if (!now) return location.replace(location.pathname)
    // Its button keeps the focus, and screen readers hear what changes in an element that stays.
    for (const part of ['progress', '[role=status]', 'h2']) {
      const [old, next] = [progress.querySelector(part), now.querySelector(part)]
      if (old.textContent !== next.textContent) old.textContent = next.textContent
      // The bar of an undo has no value, because its progress is unknown.
      if (next.hasAttribute('value')) old.value = next.value
    }
  }
}
follow()
