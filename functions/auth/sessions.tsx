import * as z from 'zod'
import { openAuth } from '../../lib/auth/context.ts'
import { CLEAR_STORAGE, expiredCookie } from '../../lib/auth/cookies.ts'
import { endAllSessions, endOwnSession, listSessions } from '../../lib/auth/sessions.queries.ts'
import { createRoutes } from '../../lib/http/app.ts'
import { form } from '../../lib/http/validate.ts'
import * as m from '../../lib/languages/messages.ts'
import { noticeFor } from '../../lib/pages/layout/parts.tsx'
import { renderPage } from '../../lib/pages/layout/render.tsx'
import { textsOf } from '../../lib/pages/layout/text.ts'
import { type OwnSessionEnv, ownSession } from '../../lib/sign-in/own-session.ts'
import { SessionsPage } from '../../lib/sign-in/sessions-page.tsx'

const DONE = { signed_out: m.signed_out_there }

/** /auth/sessions: a person's sessions, which the person can end. */
export default createRoutes<OwnSessionEnv>()
  .use('/auth/sessions', openAuth(), ownSession('/auth/sessions'))
  .use('/auth/sessions/*', openAuth(), ownSession('/auth/sessions'))
  .get('/auth/sessions', async (c) => {
    const sessions = await listSessions(c.var.db, c.var.user.id, c.var.now)
    const t = textsOf(c)
    const done = noticeFor(DONE, c.req.query('done'))
    const children = (
      <SessionsPage sessions={sessions} ownId={c.var.sessionId} done={done && t(done)} />
    )
    return renderPage(c, { title: t(m.sessions_link), children })
  })
  .post('/auth/sessions/sign-out', form(), async (c) => {
    const { session } = c.req.valid('form')
    if (z.uuid().safeParse(session).success)
      await endOwnSession(c.var.db, c.var.user.id, session ?? '')
    return c.redirect('/auth/sessions?done=signed_out', 303)
  })
  .post('/auth/sessions/sign-out-everywhere', async (c) => {
    await endAllSessions(c.var.db, c.var.user.id)
    c.header('Set-Cookie', expiredCookie(c.var.secure))
    c.header('Clear-Site-Data', CLEAR_STORAGE)
    return c.redirect('/sign-in?done=everywhere', 303)
  })
