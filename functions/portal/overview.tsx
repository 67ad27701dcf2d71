import type { ApplicationStatus } from '../../lib/applications/applications.ts'
import type { SessionEnv } from '../../lib/auth/session.ts'
import { createRoutes } from '../../lib/http/app.ts'
import { CONNECT_NOTICES } from '../../lib/pages/connect.tsx'
import { Done, noticeFor, Table } from '../../lib/pages/parts.tsx'
import { Day, NoPrograms, ProgramName, renderPortal } from '../../lib/pages/portal.tsx'
import { periodOf, readPeriodDays } from '../../lib/periods.ts'
import { type PortalData, readPortal } from '../../lib/portal/portal.queries.ts'
import { Program } from './program.tsx'

const DONE = { accepted: 'Terms accepted.' }

const APPLICATION_WORDS: Record<ApplicationStatus, string> = {
  invited: 'You are invited',
  applied: 'Waiting for an answer',
  approved: 'Approved',
  rejected: 'Not accepted',
}

/** What the person has applied for, and is not a partner of. */
const Applications = ({ applications }: Pick<PortalData, 'applications'>) =>
  applications.length > 0 && (
    <section>
      <h2>Your applications</h2>
      <Table caption="Your applications" head={['Program', 'Applied', 'Status']}>
        {applications.map(({ programId, programName, appliedAt, status, isBlocked }) => (
          <tr>
            <ProgramName name={programName} />
            <td>{appliedAt && <Day at={appliedAt} />}</td>
            <td>
              {APPLICATION_WORDS[status]}
              {status !== 'applied' && !isBlocked && (
                <>
                  . <a href={`/join/${programId}/apply`}>{status === 'invited' ? 'Accept' : 'Apply again'}</a>
                </>
              )}
            </td>
          </tr>
        ))}
      </Table>
    </section>
  )

/** GET /portal: a partner's links, coupon codes, balances and activity in each program. */
export default createRoutes<SessionEnv>().get('/portal', async (c) => {
  const { db, now, user } = c.var
  const period = periodOf(readPeriodDays(c.req.query('days')), now)
  const data = await readPortal(db, user.email, period, now)
  const { partnerships } = data
  const children = (
    <>
      <h1>Your programs</h1>
      <Done message={noticeFor(CONNECT_NOTICES, c.req.query('connect'))} />
      <Done message={noticeFor(DONE, c.req.query('done'))} />
      {data.agreements.length > 0 && (
        <p class="notice">
          New terms of {data.agreements.map(({ programName }) => programName).join(' and ')}:{' '}
          <a href="/portal/terms">read and accept</a>.
        </p>
      )}
      {partnerships.map((partnership, index) => (
        <Program
          partnership={partnership}
          data={data}
          period={period}
          now={now}
          isFirstOfWorkspace={partnerships[index - 1]?.workspaceId !== partnership.workspaceId}
        />
      ))}
      <Applications applications={data.applications.filter(({ status }) => status !== 'approved')} />
      {partnerships.length > 0 && (
        <p class="hint">
          You are signed in as {user.email}. <a href="/portal/address">Change your email address</a>
        </p>
      )}
      {partnerships.length === 0 && data.applications.length === 0 && <NoPrograms email={user.email} />}
    </>
  )
  return renderPortal(c, { title: 'Partner portal', at: '/portal', brands: partnerships, children })
})
