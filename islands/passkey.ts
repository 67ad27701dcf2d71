/** The script of pages with a passkey: asks the device, and then sends the form of the button. */
import { startAuthentication, startRegistration } from '@simplewebauthn/browser'

const post = async (path: string, body: object) => {
  const answer = await fetch(`/auth/passkeys/${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(`The answer to ${path} was ${answer.status}.`)
  return answer.json()
}

/** Confirms the session. */
const confirm = async () => {
  const optionsJSON = await post('options', { purpose: 'confirm' })
  await post('confirm', await startAuthentication({ optionsJSON }))
}

/** Makes a passkey, which the form takes along. */
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
  } catch {
    if (!problem) return
    problem.textContent = problem.dataset.failed ?? ''
    problem.hidden = false
  } finally {
    button.disabled = false
  }
})
