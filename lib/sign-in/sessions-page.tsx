/** The page of a person's sessions. */

import { MAX_SESSION_DAYS, SESSION_DAYS } from '../auth/better-auth.ts'
import type { SessionRow } from '../auth/sessions.queries.ts'
import * as m from '../languages/messages.ts'
import { DangerButton, LinkButton } from '../pages/forms/buttons.tsx'
import { Done, LinkLine } from '../pages/layout/parts.tsx'
import { t } from '../pages/layout/text.ts'
import { hidden, linkTo } from '../pages/parts/tags.tsx'
import { Table, TimeCell } from '../pages/tables/table.tsx'

type Props = { sessions: SessionRow[]; ownId: string; done: string | undefined }

const SignOut = ({ session, isOwn }: { session: SessionRow; isOwn: boolean }) => (
  <form method="post" action={isOwn ? '/auth/sign-out' : '/auth/sessions/sign-out'}>
    {!isOwn && <input type="hidden" name="session" value={session.id} />}
    <LinkButton>
      {isOwn
        ? t(m.sign_out_here, { hidden })
        : t(m.sign_out_there, { browser: nameOf(session), hidden })}
    </LinkButton>
  </form>
)

const nameOf = ({ browser }: SessionRow): string => browser || t(m.unknown_browser)

/** Every browser in which the person is signed in, this one first. */
export const SessionsPage = ({ sessions, ownId, done }: Props) => (
  <>
    <h1>{t(m.sessions_link)}</h1>
    <Done message={done} />
    <p>{t(m.sessions_intro)}</p>
    <Table
      caption={t(m.your_sessions)}
      head={[t(m.browser_column), t(m.signed_in_column), t(m.last_used_column), t(m.action_column)]}
    >
      {sessions
        .toSorted((a, b) => Number(b.id === ownId) - Number(a.id === ownId))
        .map((session) => (
          <tr>
            <td>
              {nameOf(session)}
              {session.id === ownId && (
                <>
                  {' '}
                  <span class="hint">{t(m.this_browser)}</span>
                </>
              )}
            </td>
            <TimeCell at={session.signedInAt} />
            <td>
              <Day at={session.usedAt} />
            </td>
            <td>
              <SignOut session={session} isOwn={session.id === ownId} />
            </td>
          </tr>
        ))}
    </Table>
    <form method="post" action="/auth/sessions/sign-out-everywhere">
      <DangerButton>{t(m.sign_out_everywhere)}</DangerButton>
    </form>
    <p class="hint">{t(m.session_ends, { days: SESSION_DAYS, maxDays: MAX_SESSION_DAYS })}</p>
    <LinkLine href="/auth/passkeys">{t(m.passkeys_title)}</LinkLine>
    <p>{t(m.accounts_link, { link: linkTo('/auth/accounts') })}</p>
    <p>{t(m.sessions_go_to, { workspaces: linkTo('/app'), portal: linkTo('/portal') })}</p>
  </>
)

const Day = ({ at }: { at: Date }) => {
  const day = at.toISOString().slice(0, 10)
  return <time datetime={day}>{day}</time>
}
