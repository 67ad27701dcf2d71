import * as z from 'zod'
import { CustomerQuery } from '../../lib/customers/customers.schemas.ts'
import { Page } from '../../lib/http/lists.ts'
import { MailQuery } from '../../lib/mail/mails.schemas.ts'
import {
  NewStripeKey,
  NewStripeSecret,
  StripeEventQuery,
} from '../../lib/purchases/stripe/settings.schemas.ts'
import { CommissionQuery } from '../../lib/tracking/commissions.schemas.ts'
import { EventQuery } from '../../lib/tracking/events.schemas.ts'
import { NewApiKey } from '../../lib/workspace/api-keys.schemas.ts'
import { NewCoupon } from '../../lib/workspace/coupons.schemas.ts'
import { GroupChange, NewGroup } from '../../lib/workspace/groups.schemas.ts'
import { MemberChange, NewMember } from '../../lib/workspace/members.schemas.ts'
import { PartnerChange, PartnerQuery } from '../../lib/workspace/partners.schemas.ts'
import { NewProgram, ProgramChange } from '../../lib/workspace/programs.schemas.ts'
import { NewWorkspace } from '../../lib/workspace/workspaces.schemas.ts'
import {
  ApiKeyResponse,
  AuditEntryResponse,
  BalanceResponse,
  CommissionResponse,
  CouponResponse,
  CustomerResponse,
  GroupResponse,
  listOf,
  MailResponse,
  MemberResponse,
  NewApiKeyResponse,
  PartnerResponse,
  ProgramResponse,
  StripeEventResponse,
  StripeKeyResponse,
  StripeResponse,
  StripeSecretResponse,
  WorkspaceResponse,
} from '../management-responses.ts'
import { AT, get, id, list, managersOnly, patch, path, post, remove } from '../operations.ts'
import { EventResponse } from '../responses.ts'
import { BODY_ERRORS, bySession, errors, json, MANAGER_ERRORS, SESSION_ERRORS } from '../shared.ts'

/** Setting a workspace up, and reading what happens in it. Design, section 12. */
export const management = {
  '/api/workspaces': {
    get: {
      summary: 'List your workspaces',
      security: bySession,
      responses: {
        200: { description: 'All of them.', ...json(listOf(WorkspaceResponse)) },
        ...errors(...SESSION_ERRORS),
      },
    },
    post: {
      summary: 'Create a workspace, and manage it',
      security: bySession,
      requestBody: { required: true, ...json(NewWorkspace) },
      responses: {
        201: { description: 'The row that was made.', ...json(WorkspaceResponse) },
        ...errors(...BODY_ERRORS, ...SESSION_ERRORS, 'signup_closed', 'conflict'),
      },
    },
  },
  [`${AT}/programs`]: {
    get: list('List programs', listOf(ProgramResponse)),
    post: post('Create a program', NewProgram, ProgramResponse),
  },
  [`${AT}/programs/{id}`]: {
    get: get('Get a program', ProgramResponse),
    patch: patch('Change a program', ProgramChange, ProgramResponse),
  },
  [`${AT}/programs/{id}/groups`]: {
    get: list('List the groups of a program', listOf(GroupResponse), Page, id),
    post: post('Create a group', NewGroup, GroupResponse, id),
  },
  [`${AT}/groups/{id}`]: {
    get: get('Get a group', GroupResponse),
    patch: patch('Change a group', GroupChange, GroupResponse),
  },
  [`${AT}/partners`]: { get: list('List partners', listOf(PartnerResponse), PartnerQuery) },
  [`${AT}/partners/{id}`]: {
    get: get('Get a partner', PartnerResponse),
    patch: patch('Change a partner', PartnerChange, PartnerResponse),
  },
  [`${AT}/partners/{id}/balances`]: {
    get: get('Get what a partner has earned, by currency', z.object({ data: z.array(BalanceResponse) })),
  },
  [`${AT}/partners/{id}/coupons`]: {
    get: list('List the coupon aliases of a partner', listOf(CouponResponse), Page, id),
    post: {
      ...post('Give a partner a coupon alias', NewCoupon, CouponResponse, id),
      responses: {
        200: { description: 'The partner has it already.', ...json(CouponResponse) },
        201: { description: 'Given.', ...json(CouponResponse) },
        ...errors(...BODY_ERRORS, ...MANAGER_ERRORS, 'coupon_taken'),
      },
    },
  },
  [`${AT}/partners/{id}/coupons/{couponId}`]: {
    delete: remove('Take a coupon alias away', { ...id, couponId: z.string() }),
  },
  [`${AT}/events`]: { get: list('List events, newest first', listOf(EventResponse), EventQuery) },
  [`${AT}/events/{id}`]: { get: get('Get an event and the reasons for its decision', EventResponse) },
  [`${AT}/commissions`]: { get: list('List commissions', listOf(CommissionResponse), CommissionQuery) },
  [`${AT}/customers`]: { get: list('List customers', listOf(CustomerResponse), CustomerQuery) },
  [`${AT}/api-keys`]: {
    get: managersOnly(list('List API keys', listOf(ApiKeyResponse))),
    post: post('Create an API key', NewApiKey, NewApiKeyResponse),
  },
  [`${AT}/api-keys/{id}`]: { delete: remove('Revoke an API key at once') },
  [`${AT}/members`]: {
    get: managersOnly(list('List members', listOf(MemberResponse))),
    post: post('Invite a member, by mail', NewMember, MemberResponse, {}, 'conflict'),
  },
  [`${AT}/members/{id}`]: {
    patch: patch('Change a member’s role', MemberChange, MemberResponse, 'conflict'),
    delete: remove('Remove a member', id, 'conflict'),
  },
  [`${AT}/mails`]: { get: managersOnly(list('List mails', listOf(MailResponse), MailQuery)) },
  [`${AT}/mails/{id}/retry`]: {
    post: {
      summary: 'Send a mail again that failed',
      description: 'A mail that waits to be sent is answered as it is; one that was sent is a conflict.',
      security: bySession,
      requestParams: path(id),
      responses: {
        200: { description: 'The row as it is now.', ...json(MailResponse) },
        ...errors(...MANAGER_ERRORS, 'conflict'),
      },
    },
  },
  [`${AT}/stripe`]: {
    get: {
      summary: 'See how Stripe is set up',
      security: bySession,
      requestParams: path(),
      responses: {
        200: { description: 'How it is set up.', ...json(StripeResponse) },
        ...errors(...MANAGER_ERRORS),
      },
    },
  },
  [`${AT}/stripe/secrets`]: {
    post: {
      ...post('Add a signing secret', NewStripeSecret, StripeSecretResponse),
      description:
        'There are four at most: one for each of two endpoints, and one beside each while that takes over from it.',
      responses: {
        200: { description: 'It is there already.', ...json(StripeSecretResponse) },
        201: { description: 'Added.', ...json(StripeSecretResponse) },
        ...errors(...BODY_ERRORS, ...MANAGER_ERRORS, 'conflict'),
      },
    },
  },
  [`${AT}/stripe/secrets/{id}`]: { delete: remove('Remove a signing secret') },
  [`${AT}/stripe/key`]: {
    put: {
      summary: 'Set the key from whose Stripe account partners are paid',
      description:
        'It takes the place of the one before. The key of another Stripe account is a conflict while partners are connected under that one, or are being paid. What Stripe refuses is `invalid_body`.',
      security: bySession,
      requestParams: path(),
      requestBody: { required: true, ...json(NewStripeKey) },
      responses: {
        200: { description: 'Set.', ...json(StripeKeyResponse) },
        ...errors(...BODY_ERRORS, ...MANAGER_ERRORS, 'conflict'),
      },
    },
    delete: {
      ...remove('Remove the key of Stripe', {}, 'conflict'),
      description: 'A conflict while payouts are on their way.',
    },
  },
  [`${AT}/stripe/events`]: {
    get: managersOnly(
      list('List what Stripe has told, and what it led to', listOf(StripeEventResponse), StripeEventQuery),
    ),
  },
  [`${AT}/audit`]: {
    get: managersOnly(list('List what was changed, and by whom', listOf(AuditEntryResponse))),
  },
}
