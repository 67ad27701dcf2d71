/** The sign-up form, and its validation. */
import { html } from 'hono/html'
import type { Html, Page } from './layout.ts'
import { findPlan } from './plans.ts'

/** A submitted form: text fields only. */
export type Fields = Record<string, string>

type Problems = { name?: string; email?: string }

export type SignUp = {
  name: string
  email: string
  clickId: string | undefined
  planId: string | undefined
}

const MAX_NAME_LENGTH = 100
/** The limit of RFC 5321. */
const MAX_EMAIL_LENGTH = 254
/** The format that the snippet writes. At most 200 characters, Stripe's limit for a reference. */
const CLICK_ID = /^clk_\w{1,196}$/
const CONTROL_CHARACTER = /\p{Cc}/u

/** The click id that the snippet wrote into a form. */
export const readClickId = ({ tributary_click: field }: Fields): string | undefined =>
  CLICK_ID.exec(field ?? '')?.[0]

/** Validates a submitted form: the sign-up, or its problems as messages for the customer. */
export const readSignUp = (fields: Fields): { signUp: SignUp } | { problems: Problems } => {
  const name = (fields.name ?? '').trim()
  const email = (fields.email ?? '').trim()
  const problems: Problems = {}

  if (!name) problems.name = 'Tell us what to call you.'
  else if (name.length > MAX_NAME_LENGTH)
    problems.name = `Use at most ${MAX_NAME_LENGTH} characters.`
  else if (CONTROL_CHARACTER.test(name)) problems.name = 'Use printable characters only.'

  if (!email) problems.email = 'Enter your email address.'
  else if (
    !/^[^\s@]+@[^\s@]+$/.test(email) ||
    CONTROL_CHARACTER.test(email) ||
    email.length > MAX_EMAIL_LENGTH
  )
    problems.email = 'Enter an address like ada@example.com.'

  if (problems.name || problems.email) return { problems }
  const clickId = readClickId(fields)
  return { signUp: { name, email, clickId, planId: findPlan(fields.plan)?.id } }
}

const field = (
  {
    name,
    label,
    type,
    autocomplete,
    hint,
  }: Record<'name' | 'label' | 'type' | 'autocomplete' | 'hint', string>,
  value: string | undefined,
  problem: string | undefined,
): Html => html`
<div class="field">
  <label for="${name}">${label}</label>
  <p class="hint" id="${name}-hint">${hint}</p>
  ${problem ? html`<p class="problem" id="${name}-problem">${problem}</p>` : ''}
  <input id="${name}" name="${name}" type="${type}" autocomplete="${autocomplete}" required value="${value ?? ''}"
    aria-describedby="${name}-hint${problem ? ` ${name}-problem` : ''}"${problem ? html` aria-invalid="true" autofocus` : ''}>
</div>`

/**
 * The form, with what was typed before and what was wrong with it. The snippet fills
 * `tributary_click`.
 */
export const signUpPage = (fields: Fields = {}, problems: Problems = {}): Page => ({
  title: problems.name || problems.email ? 'Please check the form' : 'Create your account',
  body: html`
<div class="narrow">
  <h1>Create your account</h1>
  <p class="lead">You choose a plan afterwards.</p>
  <form class="card" method="post" action="/sign-up" novalidate>
    ${problems.name || problems.email ? html`<p class="alert" role="alert">Please correct the fields below.</p>` : ''}
    ${field({ name: 'name', label: 'Name', type: 'text', autocomplete: 'name', hint: 'Any name will do.' }, fields.name, problems.name)}
    ${field({ name: 'email', label: 'Email', type: 'email', autocomplete: 'email', hint: 'No mail is sent.' }, fields.email, problems.email)}
    <input type="hidden" name="plan" value="${fields.plan ?? ''}">
    <input type="hidden" name="tributary_click">
    <button class="button wide">Create account</button>
  </form>
</div>`,
})
