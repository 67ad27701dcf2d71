/** The webhook endpoints of a workspace, for the API and the pages. */
import type { Context } from 'hono'
import { actOf, type WorkspaceEnv } from '../../auth/access.ts'
import type { ErrorDetail } from '../../http/errors.ts'
import { rpc } from '../../http/rpc/rpc.ts'
import type { EndpointsService } from '../../http/rpc/webhooks.rpc.ts'
import { canonicalUrl } from '../../platform/url.ts'
import { MAX_ENDPOINTS } from '../types.ts'
import type { NewWebhookEndpoint, WebhookEndpointChange } from '../webhooks.schemas.ts'
import {
  addEndpoint,
  changeEndpoint,
  type EndpointRow,
  rotateEndpointSecret,
} from './endpoints.queries.ts'

/** The webhook settings. Only the Worker bound here has the key that encrypts secrets. */
export type WebhookSettingsEnv = WorkspaceEnv & { Bindings: { WEBHOOKS: EndpointsService } }

export const TOO_MANY_ENDPOINTS = `A workspace has at most ${MAX_ENDPOINTS} webhook endpoints. Remove one first.`
export const ENDPOINT_DISABLED = 'This endpoint is disabled. Enable it first.'

type Refused = { outcome: 'refused'; error: ErrorDetail }
type WithSecret = { outcome: 'saved'; endpoint: EndpointRow; secret: string }

const refusalOf = async (c: Context<WebhookSettingsEnv>, url: string): Promise<Refused | null> => {
  const message = await rpc('webhooks', c.env.WEBHOOKS.urlRefusal(url))
  return message === null ? null : { outcome: 'refused', error: { path: 'url', message } }
}

/** For `idempotentSecret`: the secret and its ciphertext, so that a repeat stores the same one. */
export const newSecretText = async (
  { id }: { id: string },
  service: EndpointsService,
): Promise<string> => JSON.stringify(await rpc('webhooks', service.newSecret(id)))

const newSecret = async (
  c: Context<WebhookSettingsEnv>,
): ReturnType<EndpointsService['newSecret']> =>
  JSON.parse(c.var.secret ?? (await newSecretText(c.var.workspace, c.env.WEBHOOKS)))

export const createEndpoint = async (
  c: Context<WebhookSettingsEnv>,
  { url: given, types, description }: NewWebhookEndpoint,
): Promise<WithSecret | Refused | { outcome: 'full' }> => {
  const url = canonicalUrl(given)
  const refused = await refusalOf(c, url)
  if (refused) return refused
  const { secret, ciphertext } = await newSecret(c)
  const endpoint = await addEndpoint(c.var.db, actOf(c), {
    url,
    types,
    description: description ?? null,
    ciphertext,
  })
  return endpoint ? { outcome: 'saved', endpoint, secret } : { outcome: 'full' }
}

/** Changes an endpoint. @returns undefined if it was removed meanwhile */
export const editEndpoint = async (
  c: Context<WebhookSettingsEnv>,
  endpoint: EndpointRow,
  { url: given, types, description, enabled }: WebhookEndpointChange,
): Promise<EndpointRow | Refused | undefined> => {
  const url = given ? canonicalUrl(given) : given
  const refused = url ? await refusalOf(c, url) : null
  return (
    refused ??
    (await changeEndpoint(c.var.db, actOf(c), endpoint, {
      url: url ?? undefined,
      types: types ?? undefined,
      description,
      enabled: enabled ?? undefined,
    }))
  )
}

/** Gives an endpoint a new secret. @returns undefined if it was removed meanwhile */
export const rotateSecret = async (
  c: Context<WebhookSettingsEnv>,
  endpoint: EndpointRow,
  overlapHours: number,
): Promise<WithSecret | undefined> => {
  const { secret, ciphertext } = await newSecret(c)
  const rotated = await rotateEndpointSecret(c.var.db, actOf(c), endpoint, {
    ciphertext,
    overlapHours,
  })
  return rotated && { outcome: 'saved', endpoint: rotated, secret }
}
