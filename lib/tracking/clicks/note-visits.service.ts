/** Notes programs' newest visits, and why visits were refused, for "Test your tracking". */
import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import { ApiError } from '../../http/errors.ts'
import { isWithinLimit, type RateLimiter } from '../../http/rate-limit.ts'
import type { TrackingEnv } from '../../http/tracking-app.ts'
import { isRefusalReason } from '../checks/tracking-check.ts'
import { type NotedVisit, saveVisitNote } from './note-visits.queries.ts'
import { pageOf } from './visits.ts'

type VisitEnv = TrackingEnv & { Bindings: { FAILURE_LIMIT: RateLimiter } }

/** In the memory of one isolate, and in a program: visits within it are one. */
const PAUSE_MS = 60_000
const MAX_REMEMBERED = 1_000

/** When this isolate last noted each program's visits, with and without a click, by parameter. */
const noted = new Map<string, number>()

/** Notes a recorded visit, once a minute at most, so that busy programs cost nothing. */
export const noteVisit = <E extends TrackingEnv>(
  c: Context<E>,
  visit: Omit<NotedVisit, 'refusal'>,
): void => {
  const key = `${visit.programId} ${visit.hadClick} ${visit.parameter ?? ''}`
  const at = c.var.now.getTime()
  if (at - (noted.get(key) ?? 0) < PAUSE_MS) return
  if (noted.size >= MAX_REMEMBERED) noted.clear()
  noted.set(key, at)
  keep(c, { ...visit, refusal: null })
}

/** Counts refused visits of known programs. Approximate: floods are limited before the database. */
export const noteRefusals = () =>
  createMiddleware<VisitEnv>(async function noteRefusals(c, next) {
    await next()
    if (!(c.error instanceof ApiError) || !isRefusalReason(c.error.code)) return
    const visit = await readVisitOf(c)
    if (!visit || !(await isWithinLimit(c.env.FAILURE_LIMIT, `refused ${visit.programId}`))) return
    keep(c, { ...visit, refusal: c.error.code })
  })

/** Best effort, after the response. */
const keep = <E extends TrackingEnv>(c: Context<E>, visit: NotedVisit): void =>
  c.executionCtx.waitUntil(saveVisitNote(c.var.db, visit, c.var.now).catch(() => undefined))

/** In bytes: the snippet sends far less. */
const MAX_BODY_BYTES = 8_192
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
/** In characters. */
const MAX_SLUG_LENGTH = 100
const MAX_PAGE_LENGTH = 500

const textOf = (value: unknown, maxLength: number): string =>
  typeof value === 'string'
    ? value
        .replace(/\p{Cc}/gu, '')
        .slice(0, maxLength)
        .toWellFormed()
    : ''

/** What can be read of a visit that was not valid. */
const readVisitOf = async (c: Context): Promise<Omit<NotedVisit, 'refusal'> | null> => {
  if (!(Number(c.req.header('Content-Length')) <= MAX_BODY_BYTES)) return null
  try {
    const { programId, slug, slugs, url } = JSON.parse(await c.req.text())
    if (!UUID.test(programId)) return null
    const first = typeof slug === 'string' ? slug : Array.isArray(slugs) ? slugs[0] : ''
    const page = pageOf(textOf(url, 10_000))
    return {
      programId,
      slug: textOf(first, MAX_SLUG_LENGTH),
      page: page?.slice(0, MAX_PAGE_LENGTH) ?? null,
      hadClick: false,
      parameter: null,
    }
  } catch {
    return null
  }
}
