import * as z from 'zod'
import type { ZodOpenApiOperationObject, ZodOpenApiPathsObject } from 'zod-openapi'
import { BrandResponse } from '../../lib/brand/brands.responses.ts'
import { BrandChange } from '../../lib/brand/brands.schemas.ts'
import type { ErrorCode } from '../../lib/http/errors.ts'
import { Page } from '../../lib/http/lists.ts'
import { CouponResponse } from '../../lib/partners/links/coupons.responses.ts'
import { NewCoupon } from '../../lib/partners/links/coupons.schemas.ts'
import {
  CountedLinkResponse,
  LinkResponse,
  PartnerResponse,
  SlugTakenResponse,
} from '../../lib/partners/lists/partners.responses.ts'
import {
  NewLink,
  NewPartner,
  PartnerChange,
  PartnerQuery,
} from '../../lib/partners/lists/partners.schemas.ts'
import { NoteResponse } from '../../lib/partners/notes/notes.responses.ts'
import { NewNote } from '../../lib/partners/notes/notes.schemas.ts'
import { GroupResponse } from '../../lib/programs/groups.responses.ts'
import { GroupChange, NewGroup } from '../../lib/programs/groups.schemas.ts'
import { ProgramResponse } from '../../lib/programs/programs.responses.ts'
import { NewProgram, ProgramChange } from '../../lib/programs/programs.schemas.ts'
import { BalanceResponse } from '../../lib/tracking/ledger/commissions.responses.ts'
import { WhatIfResponse } from '../../lib/tracking/what-if/what-if.responses.ts'
import {
  ask,
  byWriter,
  errors,
  get,
  id,
  json,
  list,
  patch,
  post,
  put,
  remove,
  unlessExists,
  WORKSPACE,
} from '../operations.ts'

const orSlugTaken = (operation: ZodOpenApiOperationObject, otherConflict: ErrorCode) => ({
  ...operation,
  responses: {
    ...operation.responses,
    409: { ...errors('slug_taken', otherConflict)['409'], ...json(SlugTakenResponse) },
  },
})

const WHAT_IF =
  'Recomputes the sales and leads of the last 90 days under the current terms and under the changed ones, and returns ' +
  'what they earn in each currency. Refunds are not deducted. Nothing is saved or changed.'

export const programs: ZodOpenApiPathsObject = {
  [`${WORKSPACE}/programs`]: {
    get: list('List programs', ProgramResponse),
    post: post('Create a program', NewProgram, ProgramResponse),
  },
  [`${WORKSPACE}/programs/{id}`]: {
    get: get('Get a program', ProgramResponse),
    patch: patch('Update a program', ProgramChange, ProgramResponse, 'conflict'),
  },
  [`${WORKSPACE}/programs/{id}/what-if`]: {
    post: ask('Preview changed terms of a program', ProgramChange, WhatIfResponse, WHAT_IF),
  },
  [`${WORKSPACE}/programs/{id}/brand`]: {
    get: get('Get the branding of a program', BrandResponse),
    put: put('Change the branding of a program', BrandChange, BrandResponse, {
      names: id,
      description:
        'How the program looks on the page on which people apply, in the portal and in its mails to partners. Mails that were not ' +
        'sent yet get the new branding.',
      also: ['conflict'],
    }),
  },
  [`${WORKSPACE}/programs/{id}/groups`]: {
    get: list('List the groups of a program', GroupResponse, Page, id),
    post: byWriter(post('Create a group', NewGroup, GroupResponse, id)),
  },
  [`${WORKSPACE}/groups/{id}`]: {
    get: get('Get a group', GroupResponse),
    patch: byWriter(patch('Update a group', GroupChange, GroupResponse)),
  },
  [`${WORKSPACE}/groups/{id}/what-if`]: {
    post: ask('Preview changed rewards of a group', GroupChange, WhatIfResponse, WHAT_IF),
  },
  [`${WORKSPACE}/partners`]: {
    get: list('List partners', PartnerResponse, PartnerQuery),
    post: byWriter(
      orSlugTaken(
        unlessExists(
          post('Create a partner', NewPartner, PartnerResponse),
          'The program has a partner with this address, which does not change.',
        ),
        'coupon_taken',
      ),
    ),
  },
  [`${WORKSPACE}/partners/{id}`]: {
    get: get('Get a partner', PartnerResponse),
    patch: byWriter(
      orSlugTaken(patch('Update a partner', PartnerChange, PartnerResponse), 'conflict'),
    ),
  },
  [`${WORKSPACE}/partners/{id}/balances`]: {
    get: get(
      'Get a partner’s balance in each currency',
      z.strictObject({ data: z.array(BalanceResponse) }),
    ),
  },
  [`${WORKSPACE}/partners/{id}/links`]: {
    get: get(
      'List a partner’s links, the main one first',
      z.strictObject({ data: z.array(CountedLinkResponse) }),
      id,
    ),
    post: byWriter(
      orSlugTaken(
        unlessExists(
          post('Add a link to a partner', NewLink, LinkResponse, id),
          'The partner already has it.',
        ),
        'conflict',
      ),
    ),
  },
  [`${WORKSPACE}/partners/{id}/links/{slug}`]: {
    delete: byWriter(
      remove(
        'Release a link, whose slug another partner may then use',
        { ...id, slug: z.string() },
        'conflict',
      ),
    ),
  },
  [`${WORKSPACE}/partners/{id}/coupons`]: {
    get: list('List a partner’s coupon aliases', CouponResponse, Page, id),
    post: byWriter(
      unlessExists(
        post('Add a coupon alias to a partner', NewCoupon, CouponResponse, id, 'coupon_taken'),
        'The partner already has it.',
      ),
    ),
  },
  [`${WORKSPACE}/partners/{id}/coupons/{couponId}`]: {
    delete: byWriter(remove('Remove a coupon alias', { ...id, couponId: z.string() })),
  },
  [`${WORKSPACE}/partners/{id}/notes`]: {
    get: list('List the notes about a partner', NoteResponse, Page, id),
    post: byWriter(post('Add a note about a partner', NewNote, NoteResponse, id)),
  },
  [`${WORKSPACE}/partners/{id}/notes/{noteId}`]: {
    delete: byWriter(remove('Delete a note about a partner', { ...id, noteId: z.uuid() })),
  },
}
