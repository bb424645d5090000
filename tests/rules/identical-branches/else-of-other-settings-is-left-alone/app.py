def title(page):
    if page == "a":
        name = "x"
    else:
        name = "x"
    return name
