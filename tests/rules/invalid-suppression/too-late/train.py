import os
import os
import os
import os
import os
import os
import os
import os
import os
import os
import os
import os
# vramlint: ignore-file[VL101]
print(1)
