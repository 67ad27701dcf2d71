/**
 * The header Idempotency-Key. The ids of created rows follow from an id that is stored with the key
 * first. So a repeat works like a retry after an unconfirmed commit: it finds existing rows, and
 * creates the rest. docs/api.md.
 */
import type { Context, Next } from 'hono'
import { createMiddleware } from 'hono/factory'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { newFirstId } from '../../db/ids.ts'
import { ApiError } from '../../http/errors.ts'
import { describeError, log } from '../../http/logging.ts'
import { rpc } from '../../http/rpc/rpc.ts'
import type { EndpointsService } from '../../http/rpc/webhooks.rpc.ts'
import { sha256 } from '../../platform/sha256.ts'
import type { Workspace } from '../../tenancy/workspaces/workspaces.queries.ts'
import { canonicalJson } from '../../values/json.ts'
import type { WorkspaceEnv } from '../access.ts'
import { claimKey, keepAnswer, releaseKey, type StoredKey } from './idempotency.queries.ts'

const HEADER = 'Idempotency-Key'
/** Printable ASCII. */
const FORM = /^[\x20-\x7e]{1,255}$/
/** For requests without a workspace. */
const NO_WORKSPACE = '00000000-0000-0000-0000-000000000000'

const invalidKey = () =>
  new ApiError('invalid_idempotency_key', `${HEADER} must be 1 to 255 printable ASCII characters.`)

const reused = () =>
  new ApiError(
    'idempotency_key_reused',
    `This ${HEADER} was used for a request with another body. Send a new key with a new request.`,
  )

/** Keys belong to a workspace and an endpoint. Whoever may call the endpoint may repeat it. */
const nameKey = async (c: Context<WorkspaceEnv>, key: string) => {
  const workspace: { id: string } | undefined = c.var.workspace
  // Without /api/workspaces/:workspace, which has several forms.
  const endpoint = workspace
    ? c.req.path.split('/').slice(4).join('/')
    : `${c.var.user.email} ${c.req.path}`
  return { workspaceId: workspace?.id ?? NO_WORKSPACE, hash: await sha256(`${endpoint}\n${key}`) }
}

/** The hash of the body, independent of its formatting; of a blank text for an endpoint without. */
const hashBody = async (c: Context): Promise<string> =>
  sha256(c.req.valid('json' as never) === undefined ? '' : canonicalJson(await c.req.json()))

/** Encrypts and decrypts secrets that are returned once. */
const vault = (service: EndpointsService, workspaceId: string) => ({
  seal: (text: string) => rpc('webhooks', service.seal(workspaceId, text)),
  open: async (sealed: string): Promise<string> => {
    const text = await rpc('webhooks', service.unseal(workspaceId, sealed))
    if (text === null)
      throw new ApiError('conflict', 'The first answer can no longer be read. Send a new key.')
    return text
  },
})

const PLAIN = { seal: async (text: string) => text, open: async (text: string) => text }

/** Creates a secret that is returned once, in one text with its ciphertext by `service`. */
type SecretMaker = (workspace: Workspace, service: EndpointsService) => Promise<string>

type SecretEnv = WorkspaceEnv & { Bindings: { WEBHOOKS: EndpointsService } }

/**
 * Makes a request with the header Idempotency-Key repeatable. It comes after access and validation.
 * Requests without the header pass.
 *
 * The handler passes `actOf(c)` on, and everything that it creates has an `idOf` of that. For 24
 * hours, a repeat gets the first answer, with `Idempotent-Replayed: true`. A repeat of a request
 * that failed on the server, or is still running, runs again with the same ids and time. A refused
 * request releases its key.
 *
 * @throws {ApiError} `invalid_idempotency_key`, `idempotency_key_reused`
 * @example
 * ```ts
 * .post(path, writer(), body(NewGroup), idempotent(), async (c) => c.json(await createGroup(c.var.db, actOf(c), ...), 201))
 * ```
 */
export const idempotent = () =>
  createMiddleware<WorkspaceEnv>((c, next) => runOnce(c, next, PLAIN, async () => null))

/**
 * The same for an endpoint that returns a secret, which the handler finds in `c.var.secret`. The
 * secret and the response are stored encrypted.
 */
export const idempotentSecret = (makeSecret: SecretMaker) =>
  createMiddleware<SecretEnv>((c, next) => {
    const { WEBHOOKS } = c.env
    const context = c as unknown as Context<WorkspaceEnv>
    return runOnce(context, next, vault(WEBHOOKS, c.var.workspace.id), () =>
      makeSecret(c.var.workspace, WEBHOOKS),
    )
  })

const runOnce = async (
  c: Context<WorkspaceEnv>,
  next: Next,
  { seal, open }: typeof PLAIN,
  makeSecret: () => Promise<string | null>,
): Promise<Response | undefined> => {
  const key = c.req.header(HEADER)
  if (key === undefined) {
    await next()
    return
  }
  if (!FORM.test(key)) throw invalidKey()

  const { db, now } = c.var
  const name = await nameKey(c, key)
  const made = await makeSecret()
  const own: StoredKey = {
    bodyHash: await hashBody(c),
    firstId: newFirstId(),
    secret: made && (await seal(made)),
    status: null,
    answer: null,
    createdAt: now,
  }
  const stored = (await claimKey(db, name, own)) ?? own
  if (stored.bodyHash !== own.bodyHash) throw reused()
  const replay = async ({ answer, status }: { answer: string; status: number | null }) =>
    c.body(await open(answer), status as ContentfulStatusCode, {
      'Content-Type': 'application/json',
      'Idempotent-Replayed': 'true',
    })
  if (stored.answer !== null) return replay({ ...stored, answer: stored.answer })

  c.set('firstId', stored.firstId)
  c.set('now', stored.createdAt)
  if (stored.secret !== null) c.set('secret', await open(stored.secret))
  await next()

  const { ok, status } = c.res
  const isRefused = status >= 400 && status < 500
  try {
    if (ok) {
      const answer = await seal(await c.res.clone().text())
      const kept = await keepAnswer(db, name, stored.firstId, { status, answer })
      // A concurrent copy, or a repeat after an interruption, may read a later state. The first
      // response counts.
      if (kept && kept.answer !== answer) c.res = await replay(kept)
    }
    // Another request with the key may have succeeded. Only the one that stored the key knows that
    // none has.
    else if (isRefused && stored.firstId === own.firstId) await releaseKey(db, name, stored.firstId)
  } catch (error) {
    // The rows are committed. A repeat finds them by their ids.
    log('error', { event: 'answer_not_kept', ...describeError(error) })
  }
}
