/** The sign-in pages for a link that is opened in another browser than the requesting one. */

import { LINK_MINUTES } from '../auth/better-auth.ts'
import * as m from '../languages/messages.ts'
import { Field } from '../pages/forms/fields.tsx'
import { t } from '../pages/layout/text.ts'
import { linkTo, strong } from '../pages/parts/tags.tsx'
import { partsOfName } from './requests/browsers.ts'
import type { Ask, AskState } from './requests/link-requests.queries.ts'

/** A stored name of a browser within a sentence. */
const browserWords = (stored: string): string => {
  const parts = partsOfName(stored)
  if (!parts) return t(m.an_unknown_browser)
  return parts.system
    ? t(m.browser_on, { browser: parts.browser, system: parts.system })
    : parts.browser
}

/** The state of its link, in the browser that asked. islands/app/waiting.ts updates it. */
export const LinkState = ({ state }: { state: AskState | null }) => (
  <div id="link-state" role="status" data-follow={state?.usedIn ? undefined : '/sign-in/code'}>
    {state?.usedIn && !state.isUsedHere && (
      <p class="done">
        {t(m.link_used_elsewhere, {
          browser: browserWords(state.usedIn),
          link: linkTo('/sign-in'),
        })}
      </p>
    )}
    {state?.usedIn && state.isUsedHere && (
      <p class="done">{t(m.link_used_here, { link: linkTo('/app') })}</p>
    )}
    {state?.openedIn && !state.usedIn && (
      <p class="done">{t(m.link_opened_elsewhere, { browser: browserWords(state.openedIn) })}</p>
    )}
  </div>
)

/** The form for a code. */
export const CodeForm = ({ problem }: { problem?: string | undefined }) => (
  <form method="post" action="/sign-in/code">
    <Field
      label={t(m.code_field)}
      name="code"
      hint={t(m.code_hint)}
      errors={problem ? [{ path: 'code', message: problem }] : []}
      inputmode="numeric"
      autocomplete="one-time-code"
      maxlength={9}
      required
    />
    <button type="submit">{t(m.sign_in_with_code)}</button>
  </form>
)

export const CodePage = ({
  state,
  problem,
}: {
  state: AskState | null
  problem?: string | undefined
}) => (
  <>
    <h1>{t(m.code_title)}</h1>
    {state ? (
      <>
        <p>{t(m.link_was_sent, { email: state.email, strong })}</p>
        <LinkState state={state} />
        {!state.usedIn && <CodeForm problem={problem} />}
      </>
    ) : (
      <p>{t(m.no_link_asked, { minutes: LINK_MINUTES, link: linkTo('/sign-in') })}</p>
    )}
  </>
)

/** Shown before signing in in another browser. @param here the name of this browser */
export const OtherBrowser = ({
  ask,
  here,
  isInApp,
  token,
}: {
  ask: Ask
  here: string
  isInApp: boolean
  token: string
}) => (
  <section class="card">
    <h2>{t(m.another_browser)}</h2>
    <p>
      {t(isInApp ? m.requested_in_app : m.requested_elsewhere, {
        browser: browserWords(ask.browser),
        here: browserWords(here),
      })}
    </p>
    {ask.mayShowCode ? (
      <>
        <p>{t(m.show_code_text)}</p>
        <form method="post" action="/auth/code">
          <input type="hidden" name="token" value={token} />
          <button type="submit">{t(m.show_code)}</button>
        </form>
        <p class="hint">{t(m.show_code_hint)}</p>
      </>
    ) : (
      <p>{t(m.copy_link_there)}</p>
    )}
  </section>
)

/** The page that shows the code, in the browser that opened the link. */
export const ShownCodePage = ({
  code,
  browser,
  email,
}: {
  code: string
  browser: string
  email: string
}) => (
  <>
    <h1>{t(m.code_title)}</h1>
    <p>{t(m.type_code_there, { browser: browserWords(browser), email, strong })}</p>
    <p class="code">
      {code.slice(0, 3)} {code.slice(3)}
    </p>
    <p>{t(m.code_works_once, { minutes: LINK_MINUTES })}</p>
    <p class="hint">{t(m.code_secret)}</p>
  </>
)
