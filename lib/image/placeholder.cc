// placeholder, replaced when the folder is filled
