/** Requests about a workspace's settings, for the API and the page's form. */
import * as z from 'zod'

/** PATCH /api/workspaces/:workspace/settings. Omitted fields keep their values. */
export const SettingsChange = z
  .strictObject({
    manualPayouts: z.boolean('Must be true or false.').meta({
      description:
        'Whether partners may be paid by bank transfer, without a Stripe account of their own. Defaults to false.',
    }),
  })
  .partial()
  .meta({ id: 'SettingsChange' })
