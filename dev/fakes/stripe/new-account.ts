/** Creates connected accounts, from v2 parameters. */
import * as z from 'zod'
import type { Connected } from './accounts.ts'
import { invalidRequest } from './errors.ts'
import { email } from './params.ts'
import type { Platform } from './platforms.ts'
import { newId } from './store.ts'

const INCLUDES = [
  'configuration.customer',
  'configuration.merchant',
  'configuration.recipient',
  'defaults',
  'future_requirements',
  'identity',
  'requirements',
] as const
/** A part of an account that is returned only if included. */
export type Include = (typeof INCLUDES)[number]

export const include = z.array(z.enum(INCLUDES)).default([])
const text = z.string().min(1).max(5_000)
/** Unsupported countries, and codes that are not countries. */
const NOWHERE = new Set(['CU', 'IR', 'KP', 'SY', 'EU', 'EZ', 'UN', 'ZZ'])
const NAMES = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })
const country = z
  .string()
  .regex(/^[a-z]{2}$/i, 'not a country code')
  .transform((code) => code.toUpperCase())
  .refine((code) => !NOWHERE.has(code) && NAMES.of(code) !== undefined, 'not a supported country')
const requested = z.strictObject({ requested: z.boolean() })

export const NewAccount = z.strictObject({
  include,
  contact_email: email.optional(),
  contact_phone: text.optional(),
  display_name: text.optional(),
  dashboard: z.enum(['express', 'full', 'none']).optional(),
  metadata: z.record(z.string().max(40), z.string().max(500)).default({}),
  identity: z
    .strictObject({
      country: country.optional(),
      entity_type: z.enum(['company', 'government_entity', 'individual', 'non_profit']).optional(),
    })
    .optional(),
  defaults: z
    .strictObject({
      currency: z
        .string()
        .regex(/^[a-z]{3}$/, 'not a currency')
        .optional(),
      locales: z.array(text).optional(),
      responsibilities: z
        .strictObject({
          fees_collector: z.enum([
            'application',
            'application_custom',
            'application_express',
            'stripe',
          ]),
          losses_collector: z.enum(['application', 'stripe']),
        })
        .optional(),
    })
    .optional(),
  configuration: z
    .strictObject({
      recipient: z
        .strictObject({
          capabilities: z
            .strictObject({
              stripe_balance: z.strictObject({ stripe_transfers: requested.optional() }).optional(),
            })
            .optional(),
        })
        .optional(),
    })
    .optional(),
})

/** The parameters of an account that can be paid. */
export const recipient = ({ email, country }: { email: string; country: string }) =>
  NewAccount.parse({
    contact_email: email,
    display_name: email,
    dashboard: 'express',
    identity: { country },
    configuration: {
      recipient: { capabilities: { stripe_balance: { stripe_transfers: { requested: true } } } },
    },
    defaults: {
      responsibilities: { fees_collector: 'application', losses_collector: 'application' },
    },
  })

/** The first field missing for a recipient. */
const missingOf = ({
  contact_email,
  dashboard,
  defaults,
  identity,
}: z.output<typeof NewAccount>) => {
  if (!contact_email) return 'contact_email'
  if (!dashboard) return 'dashboard'
  if (!identity?.country) return 'identity.country'
  return defaults?.responsibilities ? null : 'defaults.responsibilities'
}

/**
 * Creates an account that is not onboarded yet.
 * @throws when a field required for recipients is missing
 */
export const createAccount = (
  platform: Platform,
  params: z.output<typeof NewAccount>,
  now: Date,
): Connected => {
  const { configuration, defaults, identity } = params
  const missing = configuration?.recipient && missingOf(params)
  if (missing) throw invalidRequest(`Missing required field: ${missing}`, 'invalid_fields')
  return platform.accounts.add({
    id: newId('acct', 16),
    object: 'account',
    created: now,
    email: params.contact_email ?? null,
    name: params.display_name ?? null,
    country: identity?.country ?? null,
    entityType: identity?.entity_type ?? null,
    dashboard: params.dashboard ?? null,
    feesCollector: defaults?.responsibilities?.fees_collector ?? 'stripe',
    lossesCollector: defaults?.responsibilities?.losses_collector ?? 'stripe',
    metadata: params.metadata,
    recipient:
      configuration?.recipient?.capabilities?.stripe_balance?.stripe_transfers?.requested ?? false,
    progress: 'new',
    standing: 'good',
    refused: false,
  })
}
