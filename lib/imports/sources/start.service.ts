/** Starts to read a platform, and checks its token first. */

import type { Act } from '../../audit/audit.queries.ts'
import type { Db } from '../../db/connection.ts'
import { ApiError } from '../../http/errors.ts'
import { notFound } from '../../http/found-or-404.ts'
import { encryptSecret } from '../../platform/secrets.ts'
import { NOT_IN_SHADOW } from '../../rules/programs/mode.ts'
import { failureCode, failureText } from './failures.ts'
import { listsOf, type Platform } from './platforms/platform.ts'
import { PLATFORMS } from './platforms/platforms.ts'
import { NOTHING_READ, placeToContinue } from './progress.ts'
import { readPage, type SourcesEnv } from './read-page.service.ts'
import { type PlatformId, type Purpose, type Resource, sealContext } from './source.ts'
import {
  addSource,
  continueSource,
  findProgramToRead,
  type ImportSource,
  listSources,
} from './sources.queries.ts'

type Started = {
  programId: string
  purpose?: Purpose | null | undefined
  platform: PlatformId
  token: string
  account?: string | null | undefined
}

const invalid = (path: string, message: string) =>
  new ApiError('invalid_body', `${path}: ${message}`, { details: [{ path, message }] })

/** Reads the first page of a list. @returns how many rows it has, if the platform says so */
const tryToken = async (
  env: SourcesEnv,
  platform: Platform,
  credentials: { token: string; account: string | null },
  resource: Resource,
): Promise<number | null> => {
  const result = await readPage(env, platform, credentials, resource, null)
  if (result.outcome === 'page') return result.page.total
  if (result.outcome === 'limited')
    throw new ApiError(
      'rate_limited',
      `${platform.name} has received too many requests. Try again later.`,
      {
        retryAfter: result.waitSeconds,
      },
    )
  const reason = failureText(failureCode(result), platform.name)
  if (result.outcome === 'refused') throw invalid('token', `${reason} ${platform.tokenHint}`)
  throw new ApiError('try_again', `${reason} Try again later.`, {
    retryAfter: RETRY_SECONDS,
  })
}

const RETRY_SECONDS = 5

/**
 * Starts to read a platform for a program. A failed source of the same account continues.
 *
 * @throws {ApiError} `not_found` without the program, `invalid_body` if the platform refuses the
 *   token, `conflict` if the program has another source, or no shadow run
 */
export const startSource = async (
  env: SourcesEnv & { SECRETS_KEY: string },
  db: Db,
  act: Act,
  { programId, purpose: asked, platform: id, token, account = null }: Started,
): Promise<ImportSource> => {
  const purpose = asked ?? 'import'
  const platform = PLATFORMS[id]
  if (platform.account && !account)
    throw invalid('account', `Must be the ${platform.account} of ${platform.name}.`)
  const program = await findProgramToRead(db, act.workspaceId, programId)
  if (program === undefined) throw notFound('program')
  if (purpose === 'shadow' && program.mode !== 'shadow')
    throw new ApiError('conflict', NOT_IN_SHADOW)
  const credentials = { token, account: platform.account ? account : null }
  // Every program has partners.
  const tried = purpose === 'shadow' ? 'commissions' : 'partners'
  const total = await tryToken(env, platform, credentials, tried)
  const [first = tried] = listsOf(platform, purpose)
  const ciphertext = await encryptSecret(env.SECRETS_KEY, sealContext(act.workspaceId), token)
  const found = async () =>
    (await listSources(db, act.workspaceId)).find(
      (one) => one.programId === programId && one.purpose === purpose,
    )
  const failed = await found()
  if (failed?.failedAt && failed.platform === id && failed.account === credentials.account) {
    const place = placeToContinue(platform, failed, failed.progress)
    const restarts = place.cursor !== failed.cursor
    const continued = await continueSource(db, act, failed, {
      ciphertext,
      cursor: place.cursor,
      restarts,
    })
    if (continued) return continued
  }
  const source = await addSource(db, act, {
    programId,
    purpose,
    platform: id,
    account: credentials.account,
    ciphertext,
    resource: first,
    // An estimate: the list is read later.
    progress: total === null ? {} : { [tried]: { ...NOTHING_READ, total } },
  })
  if (source) return source
  const other = await found()
  const by = other ? ` by ${other.startedBy}` : ''
  throw new ApiError(
    'conflict',
    `${other ? PLATFORMS[other.platform].name : 'Another platform'} ${purpose === 'shadow' ? `is being read for the shadow run of ${program.name}${by}. Wait until it is read, or discard that.` : `has been read into ${program.name}${by}. Import or discard that first.`}`,
  )
}
