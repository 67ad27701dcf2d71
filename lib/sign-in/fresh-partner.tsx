/** "Confirm it’s you" in the portal: see fresh-sign-in.tsx. */

import { renderPortal } from '../pages/layout/portal.tsx'
import { confirmIdentity } from './fresh-sign-in.tsx'

const confirmPartner = confirmIdentity((c, page) => renderPortal(c, page, 403))

/** Asks a partner whose sign-in is old to confirm, before a change of where money is sent. */
export const freshPartnersOnly = () => confirmPartner
