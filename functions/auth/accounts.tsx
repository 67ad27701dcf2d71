import { type AuthContext, type AuthEnv, openAuth } from '../../lib/auth/context.ts'
import { CLEAR_STORAGE } from '../../lib/auth/cookies.ts'
import { createRoutes } from '../../lib/http/app.ts'
import { form } from '../../lib/http/validate.ts'
import * as m from '../../lib/languages/messages.ts'
import { noticeFor } from '../../lib/pages/layout/parts.tsx'
import { renderPage } from '../../lib/pages/layout/render.tsx'
import { textsOf } from '../../lib/pages/layout/text.ts'
import {
  allAccounts,
  otherAccounts,
  signOutAll,
  signOutOther,
  switchAccount,
} from '../../lib/sign-in/accounts.ts'
import { AccountsPage } from '../../lib/sign-in/accounts-page.tsx'
import { signOut } from '../../lib/sign-in/requests/links.ts'
import { safePath } from '../../lib/sign-in/requests/next-url.ts'

const DONE = { signed_out: m.account_signed_out, gone: m.account_gone }

const setCookies = (c: AuthContext, cookies: string[]) => {
  for (const cookie of cookies) c.header('Set-Cookie', cookie, { append: true })
}

/** /auth/accounts: the accounts of this browser. A person switches between them or signs out. */
export default createRoutes<AuthEnv>()
  .get('/auth/accounts', openAuth(), async (c) => {
    const { active, others } = await allAccounts(c)
    const next = safePath(c.req.query('next'))
    const t = textsOf(c)
    const done = noticeFor(DONE, c.req.query('done'))
    const children = <AccountsPage {...{ active, others, next }} done={done && t(done)} />
    return renderPage(c, { title: t(m.accounts_heading), children })
  })
  .post('/auth/accounts/switch', openAuth(), form(), async (c) => {
    const { session, next } = c.req.valid('form')
    const cookies = await switchAccount(c, session ?? '')
    if (!cookies) return c.redirect('/auth/accounts?done=gone', 303)
    setCookies(c, cookies)
    return c.redirect(safePath(next), 303)
  })
  .post('/auth/accounts/sign-out', openAuth(), form(), async (c) => {
    setCookies(c, [await signOutOther(c, c.req.valid('form').session ?? '')])
    return c.redirect('/auth/accounts?done=signed_out', 303)
  })
  .post('/auth/accounts/sign-out-all', openAuth(), async (c) => {
    setCookies(c, await signOutAll(c))
    c.header('Clear-Site-Data', CLEAR_STORAGE)
    return c.redirect('/sign-in', 303)
  })
  .post('/auth/sign-out', openAuth(), async (c) => {
    setCookies(c, [await signOut(c)])
    // Keeps the stored imports of the accounts that are still signed in.
    if ((await otherAccounts(c)).length > 0) return c.redirect('/auth/accounts', 303)
    c.header('Clear-Site-Data', CLEAR_STORAGE)
    return c.redirect('/sign-in', 303)
  })
