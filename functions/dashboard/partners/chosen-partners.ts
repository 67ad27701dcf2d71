import * as z from 'zod'
import { ApiError } from '../../../lib/http/errors.ts'
import type { Fields } from '../../../lib/http/validate.ts'
import { inEnglish } from '../../../lib/languages/message.ts'
import * as m from '../../../lib/languages/messages.ts'
import { chosenIn } from '../../../lib/pages/forms/choice.tsx'

/** More than a page of the list has. The form repeats their ids. */
const MAX_CHOSEN = 500

export const chosenPartners = z
  .array(z.uuid(inEnglish(m.partners_must_be_id)).toLowerCase())
  .min(1, inEnglish(m.partners_choose_one))
  .max(MAX_CHOSEN, inEnglish(m.partners_choose_at_most, { max: String(MAX_CHOSEN) }))

/** The ids of the selected partners. @throws {ApiError} `invalid_body` */
export const readChosen = (fields: Fields): string[] => {
  const read = chosenPartners.safeParse(chosenIn(fields))
  if (!read.success)
    throw new ApiError(
      'invalid_body',
      read.error.issues[0]?.message ?? inEnglish(m.partners_choose),
    )
  return read.data
}

/** Below the workspace's path. */
export const EXPORT_CHOSEN = '/partners/export'
export const MAIL_CHOSEN = '/partners/mail'
export const MOVED_CHOSEN = '/partners/moved'
