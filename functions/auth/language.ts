import { setCookie } from 'hono/cookie'
import { isSecure } from '../../lib/auth/cookies.ts'
import { refuseCrossSite } from '../../lib/auth/session.ts'
import { createRoutes } from '../../lib/http/app.ts'
import { form } from '../../lib/http/validate.ts'
import { languageOf } from '../../lib/languages/languages.ts'
import { LANGUAGE_COOKIE } from '../../lib/pages/layout/text.ts'
import { safePath } from '../../lib/sign-in/requests/next-url.ts'

const YEAR_SECONDS = 365 * 86_400

/** POST /auth/language: stores the reader's language for a year, and opens the page again. */
export default createRoutes().post('/auth/language', form(), (c) => {
  refuseCrossSite(c)
  const { language: code, next } = c.req.valid('form')
  const language = languageOf(code)
  if (language) {
    setCookie(c, LANGUAGE_COOKIE, language, {
      path: '/',
      maxAge: YEAR_SECONDS,
      httpOnly: true,
      sameSite: 'Lax',
      secure: isSecure(c.req.url),
    })
  }
  return c.redirect(safePath(next), 303)
})
