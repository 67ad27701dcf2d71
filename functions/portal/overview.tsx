import type { SessionEnv } from '../../lib/auth/session.ts'
import { createRoutes } from '../../lib/http/app.ts'
import { CONNECT_NOTICES } from '../../lib/pages/connect.tsx'
import { Done, noticeFor } from '../../lib/pages/parts.tsx'
import { renderPortal } from '../../lib/pages/portal.tsx'
import { periodOf, readPeriodDays } from '../../lib/periods.ts'
import { readPortal } from '../../lib/portal/portal.queries.ts'
import { Program } from './program.tsx'

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
      {partnerships.map((partnership, index) => (
        <Program
          partnership={partnership}
          data={data}
          period={period}
          now={now}
          isFirstOfWorkspace={partnerships[index - 1]?.workspaceId !== partnership.workspaceId}
        />
      ))}
      {partnerships.length > 0 && (
        <p class="hint">
          You are signed in as {user.email}. <a href="/portal/address">Change your email address</a>
        </p>
      )}
      {partnerships.length === 0 && (
        <p class="empty">
          {user.email} is not a partner of any program. If you joined with another email address, sign out and
          sign in with that one.
        </p>
      )}
    </>
  )
  return renderPortal(c, { title: 'Partner portal', at: '/portal', children })
})
