/** A source, as the API returns it. */
import { failureText } from './failures.ts'
import { listsOf } from './platforms/platform.ts'
import { PLATFORMS } from './platforms/platforms.ts'
import { NOTHING_READ } from './progress.ts'
import { KEEP_SECONDS, MAX_READING_SECONDS } from './schedule.ts'
import type { ImportSource } from './sources.queries.ts'
import type { ImportSourceResponse } from './sources.responses.ts'

const later = (at: Date, seconds: number): Date => new Date(at.getTime() + seconds * 1_000)

export const sourceResponse = (source: ImportSource): ImportSourceResponse => {
  const { id, programId, purpose, platform, account, startedBy, createdAt, progress, failure } =
    source
  const { name } = PLATFORMS[platform]
  const endedAt = source.readAt ?? source.failedAt
  return {
    id,
    programId,
    purpose,
    platform,
    account,
    startedBy,
    createdAt,
    status: source.readAt ? 'ready' : source.failedAt ? 'failed' : 'reading',
    lists: listsOf(PLATFORMS[platform], purpose).map((resource) => {
      const { read, total, isDone } = progress[resource] ?? NOTHING_READ
      return { resource, read, total, isDone }
    }),
    failure: failure === null ? null : { code: failure, message: failureText(failure, name) },
    nextAttemptAt: endedAt ? null : source.nextAttemptAt,
    endsAt: endedAt ? later(endedAt, KEEP_SECONDS) : later(createdAt, MAX_READING_SECONDS),
  }
}
