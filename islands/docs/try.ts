const MAX_SHOWN = 20_000

/** The request that a form describes, with blank parameters left out. */
const requestOf = (form: HTMLFormElement): { url: URL; init: RequestInit } => {
  const { method = 'GET', path = '/' } = form.dataset
  const headers = new Headers()
  const query = new URLSearchParams()
  let filled = path
  for (const { name, value, dataset } of form.querySelectorAll<HTMLInputElement>('input[data-in]')) {
    if (dataset.in === 'path') filled = filled.replace(`{${name}}`, encodeURIComponent(value.trim()))
    else if (value.trim() === '') continue
    else if (dataset.in === 'query') query.set(name, value.trim())
    else if (dataset.in === 'header') headers.set(name, value.trim())
    else if (dataset.in === 'key') headers.set('Authorization', `Bearer ${value.trim()}`)
  }
  const url = new URL(filled, location.origin)
  url.search = query.toString()
  const body = form.querySelector<HTMLTextAreaElement>('textarea')?.value
  if (body !== undefined) headers.set('Content-Type', 'application/json')
  return { url, init: { method, headers, ...(body !== undefined && { body }) } }
}

const pretty = (text: string): string => {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

const send = async (form: HTMLFormElement): Promise<string> => {
  try {
    const { url, init } = requestOf(form)
    const response = await fetch(url, init)
    const body = pretty(await response.text()).slice(0, MAX_SHOWN)
    return `${response.status} ${response.statusText}\n${body}`
  } catch (error) {
    return `The request could not be sent: ${error instanceof Error ? error.message : error}`
  }
}

/** Sends the requests of the reference's forms. A key is kept in its field only. */
export const startTrying = (): void => {
  for (const details of document.querySelectorAll<HTMLElement>('details.try')) {
    details.hidden = false
    const form = details.querySelector('form')
    form?.addEventListener('submit', async (event) => {
      event.preventDefault()
      const button = form.querySelector('button')
      if (button) button.disabled = true
      const pre = document.createElement('pre')
      pre.tabIndex = 0
      pre.textContent = await send(form)
      form.querySelector('[role="status"]')?.replaceChildren(pre)
      if (button) button.disabled = false
    })
  }
}
