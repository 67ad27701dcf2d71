/** Requests that correct reported sales. */
import * as z from 'zod'
import { optional } from '../../http/fields.ts'
import { id } from '../../http/report-fields.ts'

/** PATCH /api/track/sale/:externalId. */
export const SaleCorrection = z
  .strictObject({
    clickId: optional(id('The click of the sale, if its report had none, or an unknown one.')),
    customerExternalId: optional(
      id('Your customer id, if the one that was reported is no customer’s, such as an order id.'),
    ),
  })
  .refine(({ clickId, customerExternalId }) => clickId || customerExternalId, {
    path: ['clickId'],
    error: 'Required, unless there is a `customerExternalId`.',
  })
  .meta({ id: 'SaleCorrection' })
