// libqrencode: QR codes for channel links.
#include <qrencode.h>
