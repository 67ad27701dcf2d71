/** Starts to read a platform: whether it accepts the token is found out at once. */
import type { Db } from '../../db/connection.ts'
import { ApiError } from '../../http/errors.ts'
import { notFound } from '../../http/found.ts'
import { encryptSecret } from '../../secrets.ts'
import type { Act } from '../../workspace/audit.queries.ts'
import { failureCode, failureText } from './failures.ts'
import { PLATFORMS } from './platforms.ts'
import { NOTHING_READ } from './progress.ts'
import { readPage, type SourcesEnv } from './read-page.service.ts'
import type { Platform, PlatformId, Resource } from './source.ts'
import { addSource, findProgramName, type ImportSource, listSources } from './sources.queries.ts'
import { sealContext } from './token.ts'

type Started = { programId: string; platform: PlatformId; token: string; account?: string | null | undefined }

const invalid = (path: string, message: string) =>
  new ApiError('invalid_body', `${path}: ${message}`, { details: [{ path, message }] })

/** Reads the list of partners, of which there are some in each program. @returns how many there are, if the platform says so */
const tryToken = async (
  env: SourcesEnv,
  platform: Platform,
  credentials: { token: string; account: string | null },
  resource: Resource,
): Promise<number | null> => {
  const result = await readPage(env, platform, credentials, resource, null)
  if (result.outcome === 'page') return result.page.total
  if (result.outcome === 'limited')
    throw new ApiError('rate_limited', `${platform.name} has answered too many requests. Try again later.`, {
      retryAfter: result.waitSeconds,
    })
  const reason = failureText(failureCode(result), platform.name)
  if (result.outcome === 'refused') throw invalid('token', `${reason} ${platform.tokenHint}`)
  throw new ApiError('try_again', `${reason} Try again later.`, {
    retryAfter: RETRY_SECONDS,
  })
}

const RETRY_SECONDS = 5

/**
 * Starts to read a platform for a program.
 *
 * @throws {ApiError} `not_found` without the program, `invalid_body` if the platform refuses the token, `conflict` if the program
 * is read already
 */
export const startSource = async (
  env: SourcesEnv & { SECRETS_KEY: string },
  db: Db,
  act: Act,
  { programId, platform: id, token, account = null }: Started,
): Promise<ImportSource> => {
  const platform = PLATFORMS[id]
  if (platform.account && !account)
    throw invalid('account', `Must be the ${platform.account} of ${platform.name}.`)
  const program = await findProgramName(db, act.workspaceId, programId)
  if (program === undefined) throw notFound('program')
  const credentials = { token, account: platform.account ? account : null }
  const total = await tryToken(env, platform, credentials, 'partners')
  const [first = 'partners'] = platform.imported
  const source = await addSource(db, act, {
    programId,
    platform: id,
    account: credentials.account,
    ciphertext: await encryptSecret(env.SECRETS_KEY, sealContext(act.workspaceId), token),
    resource: first,
    // Only as an estimate: the list is read later.
    progress: total === null ? {} : { partners: { ...NOTHING_READ, total } },
  })
  if (source) return source
  const other = (await listSources(db, act.workspaceId)).find((one) => one.programId === programId)
  const by = other ? ` by ${other.startedBy}` : ''
  throw new ApiError(
    'conflict',
    `${other ? PLATFORMS[other.platform].name : 'Another platform'} has been read into ${program}${by}. Import or discard that first.`,
  )
}
