/** The page of a person's sessions. */
import { Done, Table, Time } from '../pages/parts.tsx'
import { MAX_SESSION_DAYS, SESSION_DAYS } from './better-auth.ts'
import type { SessionRow } from './sessions.queries.ts'

type Props = { sessions: SessionRow[]; ownId: string; done: string | undefined }

const SignOut = ({ session, isOwn }: { session: SessionRow; isOwn: boolean }) => (
  <form method="post" action={isOwn ? '/auth/sign-out' : '/auth/sessions/sign-out'}>
    {!isOwn && <input type="hidden" name="session" value={session.id} />}
    <button type="submit" class="link">
      Sign out<span class="hidden"> {isOwn ? 'this browser' : nameOf(session)}</span>
    </button>
  </form>
)

const nameOf = ({ browser }: SessionRow): string => browser || 'Unknown browser'

/** Every browser in which the person is signed in, this one first. */
export const SessionsPage = ({ sessions, ownId, done }: Props) => (
  <>
    <h1>Sessions</h1>
    <Done message={done} />
    <p>
      The browsers in which you are signed in. If you do not recognize one, sign out everywhere. Whoever
      signed in there can read your email, so change the password of your mailbox, too.
    </p>
    <Table caption="Your sessions" head={['Browser', 'Signed in', 'Last used', 'Action']}>
      {sessions
        .toSorted((a, b) => Number(b.id === ownId) - Number(a.id === ownId))
        .map((session) => (
          <tr>
            <td>
              {nameOf(session)}
              {session.id === ownId && (
                <>
                  {' '}
                  <span class="hint">This browser</span>
                </>
              )}
            </td>
            <td>
              <Time at={session.signedInAt} />
            </td>
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
      <button type="submit" class="danger">
        Sign out everywhere
      </button>
    </form>
    <p class="hint">
      A session ends {SESSION_DAYS} days after its last use, and {MAX_SESSION_DAYS} days after signing in.
    </p>
    <p>
      Go to <a href="/app">your workspaces</a> or the <a href="/portal">partner portal</a>.
    </p>
  </>
)

const Day = ({ at }: { at: Date }) => {
  const day = at.toISOString().slice(0, 10)
  return <time datetime={day}>{day}</time>
}
