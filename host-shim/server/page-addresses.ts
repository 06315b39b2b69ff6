// Where the pages are that other parts of the host speak of: the REST interface, the login, the welcome.
// The path of any page is pageAddress of the seam.
import { ADMIN_PATH, pageAddress } from '../extension-api';

/** Redirects to the first page of the user's menu. */
export const FIRST_PAGE = `${ADMIN_PATH}/`;
export const LOGIN_PATH = '/wp-login.php';
export const AUTHORIZE_SLUG = 'authorize-application.php';
/** Where the user approves an application and gets a password for it. */
export const AUTHORIZE_PATH = pageAddress(AUTHORIZE_SLUG);
