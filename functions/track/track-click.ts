import { cors } from 'hono/cors'
import { isbot } from 'isbot'
import { ApiError } from '../../lib/http/errors.ts'
import type { RateLimiter } from '../../lib/http/rate-limit.ts'
import { foldSometimes, type NudgeEnv } from '../../lib/http/rpc/nudge.service.ts'
import { createTrackingApp } from '../../lib/http/tracking-app.ts'
import { body } from '../../lib/http/validate.ts'
import { parameterOf } from '../../lib/imports/partners/former-links.ts'
import { type ClickBudgetSettings, dailyClicksOf } from '../../lib/tracking/clicks/click-budget.ts'
import { clickCookies } from '../../lib/tracking/clicks/click-cookie.ts'
import { ClickEvent } from '../../lib/tracking/clicks/clicks.schemas.ts'
import { noteRefusals, noteVisit } from '../../lib/tracking/clicks/note-visits.service.ts'
import { limitByVisitor, recordClick } from '../../lib/tracking/clicks/passed-on-clicks.service.ts'
import { pageOf, readVisit, subOf, timeOfVisit } from '../../lib/tracking/clicks/visits.ts'
import type { ClickResponse } from '../../lib/tracking/reports/reports.responses.ts'

/** How long browsers cache the preflight response. */
const ONE_DAY_SECONDS = 86_400

/**
 * POST /api/track/click: records a visit by a partner's link. The snippet calls it from any site.
 */
export default createTrackingApp<
  NudgeEnv<'OUTBOX'>['Bindings'] & ClickBudgetSettings & { FAILURE_LIMIT: RateLimiter }
>({
  onlyFailures: true,
})
  .use(
    '/api/track/click',
    cors({
      origin: '*',
      allowMethods: ['POST'],
      allowHeaders: ['Content-Type'],
      maxAge: ONE_DAY_SECONDS,
    }),
  )
  .post(
    '/api/track/click',
    noteRefusals(),
    limitByVisitor(),
    body(ClickEvent, { plainText: true }),
    async (c) => {
      const { programId, url, referrer, age, ...visit } = c.req.valid('json')
      const { now } = c.var
      const { slugKeys, heldIds } = readVisit(visit)

      const landingUrl = pageOf(url)
      const click = await recordClick(c, {
        programId,
        slugKeys,
        landingUrl,
        referrer: pageOf(referrer),
        sub: subOf(url),
        isPerson: !isbot(c.req.header('User-Agent')),
        heldIds,
        clickedAt: timeOfVisit(now, age),
        now,
        dailyClicks: dailyClicksOf(c.env),
      })
      if (!click)
        throw new ApiError(
          'partner_not_found',
          `This program has no active partner with the slug "${slugKeys[0] ?? ''}".`,
        )

      if (slugKeys[0])
        noteVisit(c, {
          programId,
          slug: slugKeys[0],
          page: landingUrl,
          hadClick: heldIds.length > 0,
          parameter: parameterOf(url, slugKeys),
        })

      foldSometimes(c)

      const { clickId, expiresAt, keptUntil } = click
      const page = { site: c.req.header('Sec-Fetch-Site'), origin: c.req.header('Origin') }
      for (const cookie of clickCookies(page, clickId, keptUntil))
        c.header('Set-Cookie', cookie, { append: true })
      const maxAge = Math.ceil((keptUntil.getTime() - now.getTime()) / 1000)
      return c.json<ClickResponse>({ clickId, expiresAt, maxAge })
    },
  )
