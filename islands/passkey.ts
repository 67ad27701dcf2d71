/** The script of pages with a passkey: asks the device, and then submits the button's form. */
import { startAuthentication, startRegistration } from '@simplewebauthn/browser'

const post = async (path: string, body: object) => {
  const answer = await fetch(`/auth/passkeys/${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!answer.ok) {
    const cause = answer.status === 429 ? answer.headers.get('Retry-After') : null
    throw new Error(`The answer to ${path} was ${answer.status}.`, { cause })
  }
  return answer.json()
}

/** The text of a failure; after too many attempts, with the time of the next one. */
const textOf = ({ failed = '', limited }: DOMStringMap, error: unknown): string => {
  const seconds = error instanceof Error ? error.cause : null
  return limited && typeof seconds === 'string' ? limited.replace('{seconds}', seconds) : failed
}

/** Confirms the session. */
const confirm = async () => {
  const optionsJSON = await post('options', { purpose: 'confirm' })
  await post('confirm', await startAuthentication({ optionsJSON }))
}

/** Creates a passkey, which the form submits. */
const add = async (form: HTMLFormElement) => {
  const optionsJSON = await post('options', { purpose: 'add' })
  const response = form.querySelector<HTMLInputElement>('[name="response"]')
  if (response) response.value = JSON.stringify(await startRegistration({ optionsJSON }))
}

document.addEventListener('submit', async (event) => {
  const { target: form, submitter: button } = event
  if (!(form instanceof HTMLFormElement) || !(button instanceof HTMLButtonElement)) return
  const { passkey } = button.dataset
  if (!passkey) return
  event.preventDefault()
  const problem = form.querySelector<HTMLElement>('[data-failed]')
  if (problem) problem.hidden = true
  button.disabled = true
  try {
    await (passkey === 'add' ? add(form) : confirm())
    form.submit()
  } catch (error) {
    if (!problem) return
    problem.textContent = textOf(problem.dataset, error)
    problem.hidden = false
  } finally {
    button.disabled = false
  }
})
