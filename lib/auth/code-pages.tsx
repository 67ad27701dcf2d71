/** The sign-in pages of people who open the link elsewhere than they asked for it. */
import { Field } from '../pages/fields.tsx'
import type { Ask, AskState } from './asks.queries.ts'
import { LINK_MINUTES } from './better-auth.ts'
import { browserWords } from './browsers.ts'

/** Says in the browser that asked what became of its link. islands/app/waiting.ts keeps it up to date. */
export const LinkState = ({ state }: { state: AskState | null }) => (
  <div id="link-state" role="status" data-follow={state?.usedIn ? undefined : '/sign-in/code'}>
    {state?.usedIn && !state.isUsedHere && (
      <p class="done">
        The link was used: you are signed in in another browser ({browserWords(state.usedIn)}), not in this
        one. To sign in here too, <a href="/sign-in">request another link</a>.
      </p>
    )}
    {state?.usedIn && state.isUsedHere && (
      <p class="done">
        You are signed in in this browser. <a href="/app">Go to your workspaces</a>
      </p>
    )}
    {state?.openedIn && !state.usedIn && (
      <p class="done">
        The link was opened in another browser ({browserWords(state.openedIn)}). Enter the code that is shown
        there.
      </p>
    )}
  </div>
)

/** The form for a code, in the browser that asked. */
export const CodeForm = ({ problem }: { problem?: string | undefined }) => (
  <form method="post" action="/sign-in/code">
    <Field
      label="Code"
      name="code"
      hint="Only if the link opens in another app or on another device: choose “Show code” there, and type its six digits here."
      errors={problem ? [{ path: 'code', message: problem }] : []}
      inputmode="numeric"
      autocomplete="one-time-code"
      maxlength={9}
      required
    />
    <button type="submit">Sign in with code</button>
  </form>
)

/** The page for a code. */
export const CodePage = ({ state, problem }: { state: AskState | null; problem?: string | undefined }) => (
  <>
    <h1>Sign-in code</h1>
    {state ? (
      <>
        <p>
          A sign-in link was sent to <strong>{state.email}</strong>.
        </p>
        <LinkState state={state} />
        {!state.usedIn && <CodeForm problem={problem} />}
      </>
    ) : (
      <p>
        This browser has not asked for a link in the last {LINK_MINUTES} minutes.{' '}
        <a href="/sign-in">Request a link</a>
      </p>
    )}
  </>
)

/** What to know before signing in where the link was opened. @param here the name of this browser */
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
    <h2>Another browser</h2>
    <p>
      The link was requested in {browserWords(ask.browser)}. This is{' '}
      {isInApp ? 'the browser inside an app' : 'another browser'} ({browserWords(here)}): signing in here does
      not sign in that one.
    </p>
    {ask.mayShowCode ? (
      <>
        <p>To sign in there, show a code here and type it there.</p>
        <form method="post" action="/auth/code">
          <input type="hidden" name="token" value={token} />
          <button type="submit">Show code</button>
        </form>
        <p class="hint">
          Only if you requested the link yourself, in the browser in front of you. Never tell the code to
          anybody.
        </p>
      </>
    ) : (
      <p>
        To sign in there, copy the link from the email, and paste it into the address bar of that browser.
      </p>
    )}
  </section>
)

/** The code, where the link was opened. */
export const ShownCodePage = ({ code, browser, email }: { code: string; browser: string; email: string }) => (
  <>
    <h1>Sign-in code</h1>
    <p>
      Type this code in the browser in which you requested the link ({browserWords(browser)}), to sign in
      there as <strong>{email}</strong>:
    </p>
    <p class="code">
      {code.slice(0, 3)} {code.slice(3)}
    </p>
    <p>
      It works only in that browser, once, within {LINK_MINUTES} minutes of your request. Nothing else is
      needed here: you can close this page.
    </p>
    <p class="hint">
      Never tell it to anybody, nor type it on another site. If you did not request the link, close this page
      and ignore the email.
    </p>
  </>
)
