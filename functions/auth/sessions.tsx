import { createMiddleware } from 'hono/factory'
import * as z from 'zod'
import { type AuthEnv, openAuth } from '../../lib/auth/context.ts'
import { CLEAR_STORAGE, expiredCookie } from '../../lib/auth/cookies.ts'
import { findSession } from '../../lib/auth/links.ts'
import type { User } from '../../lib/auth/session.ts'
import { endAllSessions, endOwnSession, listSessions } from '../../lib/auth/sessions.queries.ts'
import { SessionsPage } from '../../lib/auth/sessions-page.tsx'
import { createRoutes } from '../../lib/http/app.ts'
import { form } from '../../lib/http/validate.ts'
import * as m from '../../lib/languages/messages.ts'
import { noticeFor } from '../../lib/pages/parts.tsx'
import { renderPage } from '../../lib/pages/render.tsx'
import { textsOf } from '../../lib/pages/text.ts'

const DONE = { signed_out: m.signed_out_there }

type Env = AuthEnv & { Variables: { user: User; sessionId: string } }

/** Sets `c.var.user`, or redirects to the sign-in page, which returns to the list. */
const ownSession = createMiddleware<Env>(async function ownSession(c, next) {
  const session = await findSession(c.var, c.req.header('Cookie'))
  if (!session) return c.redirect(`/sign-in?next=${encodeURIComponent('/auth/sessions')}`, 303)
  for (const cookie of session.setCookie) c.header('Set-Cookie', cookie, { append: true })
  c.set('user', session.user)
  c.set('sessionId', session.id)
  return next()
})

/** /auth/sessions: where a person is signed in, and signing out there. */
export default createRoutes<Env>()
  .use('/auth/sessions', openAuth(), ownSession)
  .use('/auth/sessions/*', openAuth(), ownSession)
  .get('/auth/sessions', async (c) => {
    const sessions = await listSessions(c.var.db, c.var.user.id, c.var.now)
    const t = textsOf(c)
    const done = noticeFor(DONE, c.req.query('done'))
    const children = <SessionsPage sessions={sessions} ownId={c.var.sessionId} done={done && t(done)} />
    return renderPage(c, { title: t(m.sessions_link), children })
  })
  .post('/auth/sessions/sign-out', form(), async (c) => {
    const { session } = c.req.valid('form')
    if (z.uuid().safeParse(session).success) await endOwnSession(c.var.db, c.var.user.id, session ?? '')
    return c.redirect('/auth/sessions?done=signed_out', 303)
  })
  .post('/auth/sessions/sign-out-everywhere', async (c) => {
    await endAllSessions(c.var.db, c.var.user.id)
    c.header('Set-Cookie', expiredCookie(c.var.secure))
    c.header('Clear-Site-Data', CLEAR_STORAGE)
    return c.redirect('/sign-in?done=everywhere', 303)
  })
